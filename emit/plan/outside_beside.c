/* See outside_beside.h. */
#include "emit/plan/outside_beside.h"

/* clang-format off */
static const char *const math[] = {
    "acos", "acosf", "acosh", "acoshf", "acoshl", "acosl", "asin", "asinf", "asinh", "asinhf", "asinhl", "asinl",
    "atan", "atan2", "atan2f", "atan2l", "atanf", "atanh", "atanhf", "atanhl", "atanl", "cabs", "cabsf", "cabsl",
    "cacos", "cacosf", "cacosh", "cacoshf", "cacoshl", "cacosl", "carg", "cargf", "cargl", "casin", "casinf", "casinh",
    "casinhf", "casinhl", "casinl", "catan", "catanf", "catanh", "catanhf", "catanhl", "catanl", "cbrt", "cbrtf",
    "cbrtl", "ccos", "ccosf", "ccosh", "ccoshf", "ccoshl", "ccosl", "ceil", "ceilf", "ceill", "cexp", "cexpf", "cexpl",
    "cimag", "cimagf", "cimagl", "clog", "clog10", "clog10f", "clog10l", "clogf", "clogl", "conj", "conjf", "conjl",
    "cos", "cosf", "cosh", "coshf", "coshl", "cosl", "cpow", "cpowf", "cpowl", "cproj", "cprojf", "cprojl", "creal",
    "crealf", "creall", "csin", "csinf", "csinh", "csinhf", "csinhl", "csinl", "csqrt", "csqrtf", "csqrtl", "ctan",
    "ctanf", "ctanh", "ctanhf", "ctanhl", "ctanl", "drem", "dremf", "dreml", "erf", "erfc", "erfcf", "erfcl", "erff",
    "erfl", "exp", "exp10", "exp10f", "exp10l", "exp2", "exp2f", "exp2l", "expf", "expl", "expm1", "expm1f", "expm1l",
    "fabs", "fabsf", "fabsl", "fdim", "fdimf", "fdiml", "feclearexcept", "fedisableexcept", "feenableexcept",
    "fegetenv", "fegetexcept", "fegetexceptflag", "fegetround", "feholdexcept", "feraiseexcept", "fesetenv",
    "fesetexceptflag", "fesetround", "fetestexcept", "feupdateenv", "floor", "floorf", "floorl", "fma", "fmaf", "fmal",
    "fmax", "fmaxf", "fmaxl", "fmin", "fminf", "fminl", "fmod", "fmodf", "fmodl", "gamma", "gammaf", "gammal", "hypot",
    "hypotf", "hypotl", "ilogb", "ilogbf", "ilogbl", "j0", "j0f", "j0l", "j1", "j1f", "j1l", "jn", "jnf", "jnl",
    "lgamma", "lgamma_r", "lgammaf", "lgammaf_r", "lgammal", "lgammal_r", "llrint", "llrintf", "llrintl", "llround",
    "llroundf", "llroundl", "log", "log10", "log10f", "log10l", "log1p", "log1pf", "log1pl", "log2", "log2f", "log2l",
    "logb", "logbf", "logbl", "logf", "logl", "lrint", "lrintf", "lrintl", "lround", "lroundf", "lroundl", "nan",
    "nanf", "nanl", "nearbyint", "nearbyintf", "nearbyintl", "nextafter", "nextafterf", "nextafterl", "nexttoward",
    "nexttowardf", "nexttowardl", "pow", "powf", "powl", "remainder", "remainderf", "remainderl", "remquo", "remquof",
    "remquol", "rint", "rintf", "rintl", "round", "roundf", "roundl", "scalb", "scalbf", "scalbl", "scalbln",
    "scalblnf", "scalblnl", "significand", "significandf", "significandl", "sin", "sincos", "sincosf", "sincosl",
    "sinf", "sinh", "sinhf", "sinhl", "sinl", "sqrt", "sqrtf", "sqrtl", "tan", "tanf", "tanh", "tanhf", "tanhl", "tanl",
    "tgamma", "tgammaf", "tgammal", "trunc", "truncf", "truncl", "y0", "y0f", "y0l", "y1", "y1f", "y1l", "yn", "ynf",
    "ynl",
};

/* For lengths as in LAPACK: its functions have names of seven characters, and a module may name hundreds of them. */
static const char *const math_float[] = {
    "acosf32", "asinf32", "atanf32", "cabsf32", "cargf32", "cbrtf32", "ccosf32", "ceilf32", "cexpf32", "clogf32",
    "conjf32", "coshf32", "cpowf32", "csinf32", "ctanf32", "erfcf32", "exp2f32", "fabsf32", "fdimf32", "fmaxf32",
    "fminf32", "fmodf32", "log2f32", "logbf32", "rintf32", "sinhf32", "sqrtf32", "tanhf32",
};

static const char *const loading[] = {
    "dladdr", "dladdr1", "dlclose", "dlerror", "dlinfo", "dlopen", "dlsym", "dlvsym",
};
/* clang-format on */

enum {
    MATH = sizeof math / sizeof math[0],
    MATH_ALL = MATH + sizeof math_float / sizeof math_float[0],
    LOADING = sizeof loading / sizeof loading[0]
};

uint32_t outside_beside_most(uint32_t needed)
{
    return needed == 0 ? 0 : needed == 1 ? MATH_ALL : MATH_ALL + LOADING;
}

const char *outside_beside_name(uint32_t index)
{
    if (index >= MATH_ALL)
        return loading[index - MATH_ALL];
    return index < MATH ? math[index] : math_float[index - MATH];
}
