/* grammar.c: a byte a choice: calls of the language and of its stdlib with arguments right and wrong, methods, fields,
 * closures, metatables, coroutines, loops. */
#include "grammar.h"

#include "bytes.h"

enum { MOST_VARIABLES = 24 };

typedef struct script {
    bytes in;
    char *text;
    size_t length, room;
    int variables;
} script;

static void put(script *s, const char *text)
{
    size_t length = strlen(text);
    if (s->length + length < s->room) {
        memcpy(s->text + s->length, text, length);
        s->length += length;
    }
}

static void put_number(script *s, double value)
{
    char text[40];
    snprintf(text, sizeof text, value != value ? "(0/0)" : value > 1e308 ? "(1/0)" : value < -1e308 ? "(-1/0)" : "%.17g", value);
    put(s, text);
}

static void put_variable(script *s, size_t i)
{
    char text[16];
    snprintf(text, sizeof text, "v%zu", i);
    put(s, text);
}

static const char *const calls[] = {
    "kc.tensor", "kc.read", "kc.write", "kc.matmul", "kc.map", "kc.reduce", "kc.scan", "kc.softmax", "kc.lse", "kc.mask",
    "kc.causal", "kc.cast", "kc.comm", "kc.kernel", "kc.fuse", "kc.tile", "kc.group", "kc.program", "kc.times", "kc.beside",
    "kc.resize", "kc.rename", "kc.count", "kc.evaluate", "kc.compare", "kc.best", "kc.verify", "kc.sweep", "kc.ski_slope",
    "kc.device", "kc.dtype", "kc.occupancy", "kc.expect", "kc.str", "kc.help",     "kc.range", "kc.plot.roofline", "kc.plot.tiles", "kc.plot.pareto", "kc.plot.ledger", "kc.plot.of", "kc.load_json", "tostring", "pairs", "ipairs", "next",
    "type", "select", "rawget", "rawset", "rawequal", "setmetatable", "getmetatable", "pcall", "xpcall", "error", "assert",
    "tonumber", "load", "require", "collectgarbage", "print", "param", "unpack", "table.concat", "table.sort", "table.insert",
    "table.remove", "string.rep", "string.format", "string.gsub", "string.find", "string.gmatch", "string.byte", "string.char",
    "coroutine.wrap", "coroutine.create", "coroutine.resume", "coroutine.yield", "coroutine.status", "coroutine.close",
    "math.floor", "math.random", "math.max", "string.pack", "utf8.char",
};

static const char *const library[] = {
    "attention.standard", "attention.fused", "attention.flash", "attention.ragged", "attention.prefix", "attention.chunked",
    "attention.decode", "attention.standard_backward", "attention.flash_backward", "collective.allreduce",
    "collective.alltoall", "collective.matmul_allreduce", "conv.forward", "conv.backward_data", "conv.backward_weight",
    "conv.transposed", "conv.gemm", "conv.winograd", "conv.pool", "elementwise.apply", "elementwise.gelu", "elementwise.rope",
    "elementwise.quantise", "embedding.gather", "embedding.backward", "gemm.plain", "gemm.batched", "gemm.grouped",
    "gemm.vector", "gemm.split_k", "kv_cache.bytes", "mla.heads", "mla.latent", "mla.absorbed", "moe.route", "moe.mlp",
    "moe.grouped", "norm.rms", "norm.layer", "norm.rms_backward", "norm.layer_backward", "sampling.topk",
    "sampling.categorical", "scan.prefix_sum", "scan.selective", "scan.ssd", "scan.linear_attention", "softmax.rows",
    "softmax.naive", "softmax.backward", "softmax.cross_entropy", "softmax.head", "speculative.evaluate", "stencil.star",
    "stencil.box", "stream.triad", "stream.transpose", "transformer",
};

static const char *const words[] = {
    "m", "n", "k", "i", "j", "d", "b", "h", "m k", "k n", "m n", "b h i d", "i j", "2*p+r-1", "[m] k", "f16", "f32", "f8e4m3",
    "i4g128", "sum", "max", "exp", "gelu", "ring", "tree", "allreduce", "time", "bytes", "tile.m", "h100-sxm5", "mi300x", "a100",
    "C", "A", "", "x", "kernel", "atomic", "top 3 by time", "time <= 1 and tile.m > 2", "%d%s%5.2f", ".-", "(a*)*b", "%1", "__index",
    "__gc", "__mode", "__call", "__tostring", "__len", "n", "all", "causal", "vector", "matrix", "size.m", "order", "device",
};

static const char *const keys[] = {
    "m", "n", "k", "i", "j", "d", "b", "h", "b h", "name", "over", "into", "math", "dims", "dtype", "to", "scale", "fuse", "save",
    "tile", "grid", "order", "stages", "warps", "split", "combine", "hold", "cluster", "raster", "persistent", "vector", "threads",
    "path", "overlap", "kernel", "device", "sizes", "dtypes", "where", "keep", "fields", "measured", "convention", "launch", "cache",
    "l2", "tokens", "hidden", "inner", "experts", "top_k", "seq", "batch", "cached", "heads", "kv_heads", "window", "page", "ranks",
    "hbm", "bandwidth", "cores", "__index", "__newindex", "__call", "__gc", "__tostring", "__eq", "__lt", "__concat", "__close", "1",
};

static const char *const fields[] = {
    "time", "bytes", "flops", "kernels", "tensors", "notes", "bound", "times", "hbm", "name", "rows", "best", "schedule", "explain",
    "formula", "json", "csv", "sensitivity", "device", "dims", "size", "axes", "points", "text",
};

static void expression(script *s, int depth);

static void table_literal(script *s, int depth)
{
    size_t entries = choose(&s->in, 6);
    put(s, "{ ");
    for (size_t i = 0; i < entries; i++) {
        if (take(&s->in) % 3 > 0) {
            put(s, "[\"");
            put(s, ONE_OF(&s->in, keys));
            put(s, "\"] = ");
        }
        expression(s, depth + 1);
        put(s, ", ");
    }
    put(s, "}");
}

static void arguments(script *s, int depth)
{
    size_t count = choose(&s->in, 5);
    put(s, "(");
    for (size_t i = 0; i < count; i++) {
        put(s, i > 0 ? ", " : "");
        expression(s, depth + 1);
    }
    put(s, ")");
}

static void statements(script *s, int depth);

static void expression(script *s, int depth)
{
    static const char *const constants[] = { "nil", "true", "false", "''", "{}", "kc", "kc.lib", "_G", "print" };
    static const char *const operators[] = { " + ", " * ", " .. ", " == ", " < ", " and ", " or ", " % ", " / " };
    unsigned how = take(&s->in) % 20;
    if (depth > 4 || s->in.left == 0)
        how %= 8;
    if (how < 4 && s->variables > 0) {
        put_variable(s, choose(&s->in, (size_t)s->variables));
    } else if (how < 6) {
        put_number(s, odd_number(&s->in));
    } else if (how < 8) {
        put(s, "\"");
        put(s, ONE_OF(&s->in, words));
        put(s, "\"");
    } else if (how < 11) {
        table_literal(s, depth);
    } else if (how < 13) {
        put(s, ONE_OF(&s->in, calls));
        arguments(s, depth);
    } else if (how == 13) {
        put(s, "kc.lib.");
        put(s, ONE_OF(&s->in, library));
        table_literal(s, depth);
    } else if (how == 14) {
        put(s, "function(...) ");
        statements(s, depth + 1);
        put(s, " return ... end");
    } else if (how == 15) {
        put(s, ONE_OF(&s->in, calls));
    } else if (how == 16) {
        put(s, "(");
        expression(s, depth + 1);
        put(s, ONE_OF(&s->in, operators));
        expression(s, depth + 1);
        put(s, ")");
    } else if (how == 17) {
        put(s, "(");
        expression(s, depth + 1);
        put(s, ").");
        put(s, ONE_OF(&s->in, fields));
    } else if (how == 18) {
        put(s, "(");
        expression(s, depth + 1);
        put(s, "):");
        put(s, ONE_OF(&s->in, fields));
        arguments(s, depth);
    } else {
        put(s, ONE_OF(&s->in, constants));
    }
}

/* Of a small matmul, attention and program, for later steps to take apart. */
static const char *const starts[] = {
    "kc.lib.gemm.plain { m = 64, n = 48, k = 32 }", "kc.lib.attention.flash { b = 1, h = 2, n = 64, d = 16 }",
    "kc.tensor('A', 'm k', 'f16', { m = 64, k = 32 })", "kc.read(kc.tensor('B', 'k n', 'f16', { k = 32, n = 48 }))",
    "kc.device('h100')", "kc.count(kc.lib.gemm.plain { m = 64, n = 48, k = 32 })",
    "kc.evaluate(kc.lib.norm.rms { m = 64, k = 128 }, 'h100')",
    "kc.sweep { kernel = kc.lib.gemm.plain { m = 64, n = 48, k = 32 }, tile = { m = { 16, 32 } }, device = 'h100' }",
};

static void statements(script *s, int depth)
{
    size_t count = 1 + choose(&s->in, depth == 0 ? 16 : 3);
    for (size_t i = 0; i < count && (s->in.left > 0 || i == 0); i++) {
        unsigned how = depth > 3 ? 0 : take(&s->in) % 16;
        if (how == 15) {
            put(s, "for i = 1, ");
            put_number(s, 1 + take(&s->in));
            put(s, " do ");
            statements(s, depth + 1);
            put(s, " end\n");
        } else if (how == 14) {
            put(s, "while ");
            expression(s, depth + 1);
            put(s, " do ");
            statements(s, depth + 1);
            put(s, " end\n");
        } else if (how == 13) {
            put(s, "for k, v in pairs(");
            expression(s, depth + 1);
            put(s, ") do ");
            statements(s, depth + 1);
            put(s, " end\n");
        } else if (how == 12) {
            put(s, "pcall(function() ");
            statements(s, depth + 1);
            put(s, " end)\n");
        } else {
            int variable = s->variables < MOST_VARIABLES && depth == 0 ? s->variables : (int)(take(&s->in) % MOST_VARIABLES);
            put(s, "do local ok, v = pcall(function() return ");
            if (how < 5)
                put(s, ONE_OF(&s->in, starts));
            else
                expression(s, depth);
            put(s, " end) ");
            put_variable(s, (size_t)variable);
            put(s, " = ok and v or nil end\n");
            if (variable == s->variables)
                s->variables++;
        }
    }
}

size_t grammar_script(const uint8_t *data, size_t size, char *text, size_t room)
{
    script s = { .in = { data, size }, .text = text, .room = room };
    put(&s, "local kc = require 'kcost'\nlocal unpack = table.unpack or unpack\n");
    statements(&s, 0);
    put(&s, "return v0, v1, v2, v3");
    return s.length;
}
