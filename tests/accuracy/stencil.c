/* stencil.c: the Laplacian of AMD's lab notes, and the stencils along one direction of its seismic series. */
#include "stencil.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void tap(stencil *s, int z, int y, int x)
{
    s->taps[s->count].z = z;
    s->taps[s->count].y = y;
    s->taps[s->count++].x = x;
}

/* Blocks of 256 threads along x, each with m rows.  From kernel 3 on a thread loads in the order of addresses, before
 * that the center, then x, y and z. */
static bool laplacian(const char *variant, stencil *s)
{
    int number = variant[0] == 'K' ? atoi(variant + strlen("Kernel_")) : 0;
    const char *m = strstr(variant, "m=");
    if (number == 0)
        return false;
    s->tile[1] = m ? strtod(m + 2, NULL) : 1;
    if (number < 3) {
        tap(s, 0, 0, 0);
        tap(s, 0, 0, -1), tap(s, 0, 0, 1);
        tap(s, 0, -1, 0), tap(s, 0, 1, 0);
        tap(s, -1, 0, 0), tap(s, 1, 0, 0);
    } else {
        tap(s, -1, 0, 0), tap(s, 0, -1, 0), tap(s, 0, 0, -1);
        tap(s, 0, 0, 0);
        tap(s, 0, 0, 1), tap(s, 0, 1, 0), tap(s, 1, 0, 0);
    }
    return true;
}

/* 2 * radius + 1 points along one direction, from an array with a halo.  Blocks of 256 threads along x; those that
 * take VEC_LEN points a thread are 64 x 4. */
static bool along(const row *r, const char *variant, stencil *s)
{
    int radius = (int)shape_number(r->shape, "radius", 0);
    const char *dir = strstr(r->shape, "dir="), *vectors = strstr(variant, "VEC_LEN=");
    int d = dir ? (dir[4] == 'z' ? 0 : dir[4] == 'y' ? 1 : 2) : -1;
    if (d < 0 || radius < 1 || radius > 15 || strcmp(variant, "table2") == 0) /* table 2: bytes that HBM moved, a second */
        return false;
    s->padded[d] += 2 * radius;
    if (vectors) {
        s->tile[1] = 4;
        s->tile[2] = 64 * strtod(vectors + strlen("VEC_LEN="), NULL);
    }
    for (int i = 0; i <= 2 * radius; i++)
        tap(s, d == 0 ? i : 0, d == 1 ? i : 0, d == 2 ? i : 0);
    return true;
}

bool stencil_of(const row *r, stencil *s)
{
    const char *variant = strstr(r->shape, ";variant=");
    bool laplace = strcmp(r->op, "stencil7_laplacian") == 0, seismic = strcmp(r->op, "stencil1d_hi_order") == 0;
    double x = shape_number(r->shape, "nx", 0), y = shape_number(r->shape, "ny", 0), z = shape_number(r->shape, "nz", 0);
    if (!(laplace || seismic) || !variant || x < 1 || y < 1 || z < 1)
        return false;
    variant += strlen(";variant=");
    *s = (stencil){ { z, y, x }, { z, y, x }, { 1, 1, 256 }, laplace ? "f64" : "f32", laplace ? 8 : 4, 256, .count = 0 };
    return laplace ? laplacian(variant, s) : along(r, variant, s);
}
