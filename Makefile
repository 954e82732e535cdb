# kcost.  `make help` lists the targets; README.md says more.
#
# These are yours, and added to, never overwritten:
#     CC CPPFLAGS CFLAGS LDFLAGS PREFIX DESTDIR
#     LUA=lua5.4 | luajit     the engine; each has its own folder in build/
#     SANITIZE=address,undefined    WERROR=1    V=1 (shows the commands)
#     VARIANT=name            builds beside the plain build, in build/$(LUA)-name

ENGINES := $(if $(filter undefined default,$(origin LUA)),lua5.4 luajit,$(LUA))
FOUND    = $(foreach engine,$(ENGINES),$(shell pkg-config --exists $(engine) && echo $(engine)))
LUA     ?= lua5.4
PREFIX  ?= /usr/local
VARIANT ?= $(if $(SANITIZE),asan)
B       := build/$(LUA)$(addprefix -,$(VARIANT))
VERSION := 0.1.0

# ---- what there is ---------------------------------------------------------

MODEL   := $(sort $(wildcard vm/model/*.c))
BINDING := $(filter-out vm/lua/embed.c,$(sort $(wildcard vm/lua/*.c)))
COMMAND := $(sort $(wildcard vm/cli/*.c))
DEVICES := $(sort $(wildcard devices/*.lua))
STDLIB  := $(filter-out %_spec.lua,$(sort $(wildcard stdlib/*.lua)))
SCRIPTS := $(sort $(wildcard scripts/*.lua))
TESTS   := $(sort $(wildcard tests/model/test_*.c tests/lua/test_*.c))
HELPERS := $(filter-out $(TESTS),$(sort $(wildcard tests/model/*.c)))
FUZZERS := $(sort $(wildcard tests/fuzz/fuzz_*.c))
BENCHES := $(sort $(wildcard tests/bench/*.c))
BY_HAND := $(sort $(wildcard tests/bench/baseline/*.c))
SCORE   := $(sort $(wildcard tests/accuracy/*.c))

object    = $(patsubst %.c,$(B)/%.o,$(1))
MODEL_O   := $(call object,$(MODEL)) $(B)/gen/devices.o $(B)/gen/ffi.o
BINDING_O := $(call object,$(BINDING)) $(B)/gen/stdlib.o
COMMAND_O := $(call object,$(COMMAND))
TEST_O    := $(call object,$(TESTS) $(HELPERS) $(BENCHES) $(SCORE) $(FUZZERS) tests/fuzz/grammar.c tests/fuzz/replay.c)
PROGRAMS  := $(patsubst %.c,$(B)/%,$(TESTS) $(FUZZERS))

LIBRARY := $(B)/libkcost.so.0
ARCHIVE := $(B)/libkcost.a
VM      := $(B)/libkcost-$(LUA).so.0
MODULE  := $(B)/kcost.so
KCOST   := $(B)/kcost

# ---- how it is compiled ----------------------------------------------------

# Asked once, and only when something is built.
ask       = $(eval $(1) := $$(shell $(2)))$($(1))
LUA_INC   = $(call ask,LUA_INC,pkg-config --cflags $(LUA))
LUA_SO    = $(call ask,LUA_SO,pkg-config --libs $(LUA))
LUA_AT    = $(call ask,LUA_AT,pkg-config --variable=libdir $(LUA))
LUA_LIB  := $(if $(filter luajit,$(LUA)),luajit-5.1,lua5.4)
LUA_A     = $(LUA_AT)/lib$(LUA_LIB).a
# Where stock interpreters look for modules: under /usr in the folder of the machine's architecture.
LUA_CMOD  = $(call ask,LUA_CMOD,pkg-config --define-variable=prefix= --variable=INSTALL_CMOD $(LUA))
LUA_DIR   = $(or $(if $(filter /usr,$(PREFIX)),$(LUA_CMOD:/%=%)),lib/lua/$(if $(filter luajit,$(LUA)),5.1,5.4))
TABLE_INC = $(call ask,TABLE_INC,pkg-config --cflags smartcols)
TABLE_SO  = $(call ask,TABLE_SO,pkg-config --libs smartcols)
# Without libedit, which it loads when it starts, the prompt neither edits nor completes.
EDIT_INC  = $(call ask,EDIT_INC,pkg-config --exists libedit && echo -DKCOST_LIBEDIT `pkg-config --cflags libedit`)

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
        -Wvla $(if $(WERROR),-Werror)
# Release builds are hardened, as the OpenSSF's guide for C has it; a sanitizer wants none of it.
ifdef SANITIZE
HARDEN := -O1 -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
RELRO  := -fsanitize=$(SANITIZE)
else
HARDEN  = -O2 -fstack-protector-strong -fstack-clash-protection $(BRANCH) \
          $(if $(filter -O0,$(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
MACHINE = $(call ask,MACHINE,$(CC) -dumpmachine)
BRANCH  = $(if $(filter x86_64-%,$(MACHINE)),-fcf-protection=full,$(if $(filter aarch64-%,$(MACHINE)),-mbranch-protection=standard))
RELRO  := -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack
DEFS   := -Wl,-z,defs
endif

# gcc 12 and 13 drop stores of a loop over two arrays of one struct, once ivopts has written their
# address without its pointer: tests/model/test_compiler.c.  clang does not know the flag.
IVOPTS  = $(if $(findstring Free Software,$(call ask,CC_SAYS,$(CC) --version)),-fno-ivopts)
# No contraction: every compiler and engine gives the same figures.
COMPILE = $(CC) -std=c11 -fPIC -pthread -ffp-contract=off -fno-semantic-interposition $(IVOPTS) \
          -g -ffile-prefix-map=$(CURDIR)=. $(WARN) $(HARDEN) -MMD -MP -Ivm/include
LINK    = $(CC) -pthread $(RELRO)
LIBS    = -lm

# The model sees no Lua, the command no internals.  -iquote: model/time.h is not <time.h>.
$(MODEL_O):   private INCLUDE = -iquote vm/model
$(BINDING_O): private INCLUDE = -iquote vm/lua $(LUA_INC)
$(COMMAND_O): private INCLUDE = $(TABLE_INC) $(EDIT_INC)
$(TEST_O):    private INCLUDE = -iquote tests -iquote tests/model -iquote tests/accuracy -iquote vm/model
$(B)/tests/bench/bench_vm.o $(B)/tests/lua/test_refused_suites.o: private INCLUDE += $(LUA_INC)

# Says what is made, makes its folder; the command follows on a line of its own.
making = @mkdir -p $(@D)$(if $(V),,; printf '  %-5s %s\n' $(1) $@)
Q      := $(if $(V),,@)

# ---- targets ---------------------------------------------------------------

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.PHONY: all tests benches demo check ci lint asan tsan valgrind fuzz oom soak cover bench accuracy abi amalg dist docs install install-engine \
        uninstall uninstall-engine clean help FORCE

all: $(LIBRARY) $(ARCHIVE) $(VM) $(MODULE) $(KCOST) ## the libraries, the module and the command
	$(if $(VARIANT),,@ln -sfn $(LUA)/kcost build/kcost)

demo: ## installs what is missing, builds, and prices flash attention
	@DEPS='$(DEPS)' .ci/deps build
	@$(MAKE) -j$$(nproc) --no-print-directory all
	build/kcost scripts/flashattn.lua

check: ## installs what is missing, and runs every test on both engines (LUA= picks one)
	@DEPS='$(DEPS)' .ci/deps build check
	@tests/run.sh $(ENGINES)

ci: ## check, and all that CI runs beyond: sanitizers, clang, valgrind, lint
	@.ci/run

lint: ## parses the Lua with both compilers; luacheck, shellcheck, cppcheck, clang-tidy, gcc -fanalyzer
	@tests/run.sh lint

asan: ## every test under AddressSanitizer and UndefinedBehaviorSanitizer
	@tests/run.sh $(LUA)-asan

tsan: ## the tests with threads under ThreadSanitizer
	@tests/run.sh $(LUA)-tsan

valgrind: ## the C tests under valgrind
	@tests/run.sh $(LUA)-valgrind

fuzz: ## runs each target of tests/fuzz FUZZ_TIME= seconds (60), with clang's libFuzzer (FUZZ= names some)
	@tests/fuzz/fuzz.sh $(FUZZ_TIME) $(FUZZ)

oom: $(addprefix $(B)/tests/,model/test_refused_calls lua/test_vm_memory lua/test_refusals lua/test_refused_suites) $(KCOST) ## requests for memory refused: each one of C's calls and of ten scripts, 300 of every suite and file (40 minutes)
	@for test in $(filter-out $(KCOST),$^); do KCOST_REFUSALS=all $$test || exit 1; done
	@KCOST_REFUSALS=all KCOST=$(KCOST) VARIANT=$(VARIANT) tests/cli/run_refused.sh

soak: $(B)/tests/lua/test_soak ## 100,000 hostile and broken scripts in one process, on 4 threads (LUA= picks an engine)
	@KCOST_SOAK=100000 $<

cover: ## every test, then what they ran by folder; not in CI, it is too slow (LUA= picks an engine)
	@tests/cover.sh $(LUA)

bench: ## measures kcost beside hand-written baselines: a table, and build/bench.csv (LUA= picks an engine)
	@for engine in $(ENGINES); do $(MAKE) --no-print-directory LUA=$$engine all benches || exit 1; done
	@$(firstword $(ENGINES)) tests/bench/bench.lua $(ENGINES:%=build/%$(addprefix -,$(VARIANT)))

MEASURED ?= $(or $(SHARED),../shared)/measured
accuracy: $(B)/tests/accuracy/accuracy ## predicts every measured kernel of MEASURED=, ../shared/measured by default
	@./$< $(MEASURED) tests/data/measured -o build/accuracy.csv

abi: $(LIBRARY) $(VM) ## is the ABI of the libraries still that of tests/abi?  ACCEPT=1 renews it
	@BUILD=$(CURDIR)/$(B) ENGINE=$(LUA) VARIANT=$(VARIANT) tests/abi/run_abi.sh

amalg: build/amalg/kcost.c build/amalg/kcost.h ## the model as one kcost.c and kcost.h, to paste into a project

# The files that git tracks, by name and with one date, so that two of the same commit are equal.
dist: ## the sources as build/kcost-VERSION.tar.gz, the same bytes for the same commit
	@mkdir -p build
	$(Q)git archive --format=tar --prefix=kcost-$(VERSION)/ HEAD | gzip -n9 >build/kcost-$(VERSION).tar.gz
	@echo build/kcost-$(VERSION).tar.gz

docs: $(MODULE) ## writes the tables of stdlib/README.md and stdlib/meta/kcost.lua, from stdlib/reference.lua
	@UPDATE=1 LUA_PATH='tests/help/?.lua' LUA_CPATH='$(B)/?.so' $(LUA) tests/help/check_help.lua

clean: ## removes build/
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1|\2/p' Makefile | \
	    while IFS='|' read -r target text; do printf '%-10s %s\n' "$$target" "$$text"; done

benches: $(patsubst %.c,$(B)/%,$(BENCHES) $(BY_HAND))

tests: $(PROGRAMS) benches $(B)/tests/accuracy/accuracy

# ---- objects ---------------------------------------------------------------

$(B)/%.o: %.c $(B)/flags
	$(call making,cc)
	$(Q)$(COMPILE) $(INCLUDE) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

$(B)/gen/%.o: $(B)/gen/%.c $(B)/flags
	$(call making,cc)
	$(Q)$(COMPILE) $(INCLUDE) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

# Devices and stdlib are compiled in: a small program of ours writes them as C.
$(B)/embed: vm/lua/embed.c $(B)/flags
	$(call making,tool)
	$(Q)$(CC) -std=c11 -O1 $(WARN) -Ivm/include $(LUA_INC) -o $@ $< $(LUA_A) -lm -ldl

$(B)/gen/devices.c: $(B)/embed $(DEVICES) $(B)/files
	$(call making,embed)
	$(Q)$(B)/embed devices $(DEVICES) >$@

$(B)/gen/ffi.c: $(B)/embed vm/include/kcost.h
	$(call making,embed)
	$(Q)$(B)/embed ffi vm/include/kcost.h >$@

$(B)/gen/stdlib.c: $(B)/embed $(STDLIB) $(B)/files
	$(call making,embed)
	$(Q)$(B)/embed stdlib $(STDLIB) >$@

# What everything depends on beside its sources: rewritten only when it changes, so other flags
# build anew, and a file that comes or goes links anew.
said = '$(subst ','\'',$(1))'
$(B)/flags: text = $(COMPILE) $(LINK) $(LUA_INC) $(EDIT_INC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS)
$(B)/files: text = $(MODEL) $(BINDING) $(COMMAND) $(DEVICES) $(STDLIB)
$(B)/flags $(B)/files: FORCE
	@mkdir -p $(@D)
	@pkg-config --exists $(LUA) smartcols || { echo "kcost needs a C compiler, pkg-config," \
	    "$(LUA) and smartcols: make demo installs them" >&2; exit 1; }
	@echo $(call said,$(text)) | cmp -s - $@ || echo $(call said,$(text)) >$@

# ---- libraries, module, command ----------------------------------------------

$(B)/library.map: names = kc_*; luaopen_kcost*;
$(B)/module.map:  names = luaopen_kcost*;
$(B)/%.map: $(B)/flags
	@echo '{ global: $(names) local: *; };' >$@

$(ARCHIVE): $(MODEL_O) $(B)/files
	$(call making,ar)
	$(Q)rm -f $@ && $(AR) rcs $@ $(MODEL_O)

$(LIBRARY): $(MODEL_O) $(B)/library.map $(B)/files
	$(call making,link)
	$(Q)$(LINK) -shared -Wl,-soname,$(@F) $(DEFS) -Wl,--version-script=$(B)/library.map \
	    $(CFLAGS) $(LDFLAGS) -o $@ $(MODEL_O) $(LIBS)
	@ln -sfn $(@F) $(@:.0=)

# Finds libkcost beside itself, also where no ldconfig ran.
$(VM): $(BINDING_O) $(LIBRARY) $(B)/library.map $(B)/files
	$(call making,link)
	$(Q)$(LINK) -shared -Wl,-soname,$(@F) $(DEFS) -Wl,--version-script=$(B)/library.map \
	    -Wl,-rpath,'$$ORIGIN' $(CFLAGS) $(LDFLAGS) -o $@ $(BINDING_O) -L$(B) -lkcost $(LUA_SO) $(LIBS)
	@ln -sfn $(@F) $(@:.0=)

# Links no Lua: the interpreter that loads it has one.
$(MODULE): $(MODEL_O) $(BINDING_O) $(B)/module.map $(B)/files
	$(call making,link)
	$(Q)$(LINK) -shared -Wl,--version-script=$(B)/module.map $(CFLAGS) $(LDFLAGS) -o $@ \
	    $(MODEL_O) $(BINDING_O) $(LIBS)

$(KCOST): $(COMMAND_O) $(BINDING_O) $(MODEL_O) $(B)/files
	$(call making,link)
	$(Q)$(LINK) -pie $(CFLAGS) $(LDFLAGS) -o $@ $(COMMAND_O) $(BINDING_O) $(MODEL_O) \
	    $(LUA_A) $(TABLE_SO) $(LIBS) -ldl

# ---- the model as one file ---------------------------------------------------

build/amalg/kcost.c: vm/amalg.awk LICENSE $(B)/gen/devices.c $(B)/gen/ffi.c $(wildcard vm/model/*.[ch]) $(B)/files
	$(call making,amalg)
	$(Q)awk -f $< LICENSE $(MODEL) $(B)/gen/devices.c $(B)/gen/ffi.c >$@

build/amalg/kcost.h: vm/include/kcost.h
	@mkdir -p $(@D) && cp $< $@

# ---- tests -------------------------------------------------------------------

# Statically, so that a test reaches the model's internals.
$(B)/tests/model/test_%: $(B)/tests/model/test_%.o $(call object,$(HELPERS)) $(ARCHIVE)
	$(call making,link)
	$(Q)$(LINK) -pie $(CFLAGS) $(LDFLAGS) -o $@ $^ -lcmocka $(LIBS)

$(B)/tests/lua/test_%: $(B)/tests/lua/test_%.o $(B)/tests/fuzz/grammar.o $(BINDING_O) $(ARCHIVE)
	$(call making,link)
	$(Q)$(LINK) -pie $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LUA_A) -lcmocka $(LIBS) -ldl

# A fuzzer brings its own main; without one, replay.c runs the files of a corpus.
$(B)/tests/fuzz/fuzz_%: $(B)/tests/fuzz/fuzz_%.o $(B)/tests/fuzz/grammar.o $(call object,$(HELPERS)) $(BINDING_O) $(ARCHIVE) \
                        $(if $(findstring fuzzer,$(SANITIZE)),,$(B)/tests/fuzz/replay.o)
	$(call making,link)
	$(Q)$(LINK) $(if $(findstring fuzzer,$(SANITIZE)),-fsanitize=fuzzer,-pie) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LUA_A) $(LIBS) -ldl

# As anyone would compile a program of his own.
$(B)/tests/bench/baseline/%: tests/bench/baseline/%.c $(B)/flags
	$(call making,link)
	$(Q)$(CC) -std=gnu11 -O2 -ffp-contract=off -o $@ $< $(LIBS)

$(B)/tests/bench/bench_vm: $(B)/tests/bench/bench_vm.o $(BINDING_O) $(ARCHIVE)
	$(call making,link)
	$(Q)$(LINK) -pie $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LUA_A) $(LIBS) -ldl

$(B)/tests/bench/%: $(B)/tests/bench/%.o $(ARCHIVE)
	$(call making,link)
	$(Q)$(LINK) -pie $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(B)/tests/accuracy/accuracy: $(call object,$(SCORE)) $(ARCHIVE)
	$(call making,link)
	$(Q)$(LINK) -pie $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

# ---- install -----------------------------------------------------------------

# What goes where under PREFIX: a variable a folder.
at/bin                               = $(KCOST)
at/include                           = vm/include/kcost.h
at/lib                               = $(ARCHIVE) $(LIBRARY) $(VM)
at/lib/pkgconfig                     = $(B)/kcost.pc $(B)/kcost-$(LUA).pc
at/share/bash-completion/completions = vm/cli/kcost.bash
at/share/fish/vendor_completions.d   = vm/cli/kcost.fish
at/share/kcost/devices               = $(DEVICES)
at/share/kcost/scripts               = $(SCRIPTS)
at/share/kcost/scripts/ceilings      = $(sort $(wildcard scripts/ceilings/*))
at/share/kcost/scripts/cluster       = $(sort $(wildcard scripts/cluster/*.sh))
at/share/kcost/stdlib                = $(STDLIB)
at/share/kcost/stdlib/meta           = stdlib/meta/kcost.lua
at/share/man/man1                    = $(B)/kcost.1
at/share/zsh/site-functions          = vm/cli/_kcost
at/$(LUA_DIR)                        = $(MODULE)

FOLDERS = $(patsubst at/%,%,$(sort $(filter at/%,$(.VARIABLES))))
LINKS   = $(patsubst %.0,%,$(addprefix lib/,$(notdir $(LIBRARY) $(VM))))
PLACED  = $(LINKS) $(foreach folder,$(FOLDERS),$(addprefix $(folder)/,$(notdir $(at/$(folder)))))

to      = $(DESTDIR)$(PREFIX)
mode    = $(if $(filter bin %/cluster,$(1)),755,644)
place   = install -d '$(to)/$(1)' && install -m $(mode) $(at/$(1)) '$(to)/$(1)'
filled  = mkdir -p $(@D) && sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|; s|@LUA@|$(LUA)|; s|@LIB@|$(LUA_LIB)|' $< >$@

# LUA's last: it gives the command.
install: ## to $(DESTDIR)$(PREFIX), for each engine that is there: libraries, module, command, manual
	@for engine in $(or $(filter-out $(LUA),$(FOUND)) $(filter $(LUA),$(FOUND)),$(LUA)); do \
	    $(MAKE) --no-print-directory LUA=$$engine install-engine || exit 1; done

install-engine: all $(at/lib/pkgconfig) $(at/share/man/man1)
	@echo "  $(LUA) to $(to)"
	$(Q)$(foreach folder,$(FOLDERS),$(call place,$(folder)) && ) \
	    for link in $(LINKS); do ln -sfn $$(basename $$link).0 '$(to)'/$$link || exit 1; done

uninstall: ## removes what install placed
	@for engine in lua5.4 luajit; do $(MAKE) --no-print-directory LUA=$$engine uninstall-engine || exit 1; done

uninstall-engine:
	$(Q)if cd '$(to)' 2>/dev/null; then rm -rf share/kcost $(PLACED); fi

$(B)/kcost.pc: vm/kcost.pc.in FORCE
	@$(filled)

$(B)/kcost-$(LUA).pc: vm/kcost-vm.pc.in FORCE
	@$(filled)

# The manual says what --help says.
$(B)/kcost.1: vm/cli/man.awk $(KCOST)
	$(call making,man)
	$(Q)COLUMNS=400 $(KCOST) --help | awk -f $< -v version=$(VERSION) >$@

-include $(patsubst %.o,%.d,$(MODEL_O) $(BINDING_O) $(COMMAND_O) $(TEST_O))
