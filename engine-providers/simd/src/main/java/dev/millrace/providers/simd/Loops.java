package dev.millrace.providers.simd;

/**
 * The arithmetic of every {@link Op} over the first {@code n} elements of arrays. Each loop starts at element 0 of
 * every array it touches and has no branch in it: with differing offsets, or with a choice between two values, C2
 * leaves it scalar. The target is never one of the sources.
 */
final class Loops {
    private Loops() {}

    static void run(Op op, float[] a, float[] b, float[] y, int n, float p, float q) {
        switch (op) {
            case LOAD -> throw new IllegalArgumentException("a load is no arithmetic");
            case NEG -> negate(a, y, n);
            case ABS -> absolute(a, y, n);
            case SQRT -> root(a, y, n);
            case DIVIDE_INTO -> divideInto(p, a, y, n);
            case RELU -> atLeast(a, 0f, y, n);
            case SIGMOID -> FloatMath.sigmoid(a, y, n);
            case TANH -> FloatMath.tanh(a, y, n);
            case ERF -> FloatMath.erf(a, 1f, y, n);
            case EXP -> FloatMath.exp(a, 1f, y, n);
            case LOG -> FloatMath.log(a, y, n);
            case SOFTPLUS -> FloatMath.softplus(a, y, n);
            case GELU -> FloatMath.gelu(a, y, n);
            case GELU_TANH -> FloatMath.geluTanh(a, y, n);
            case HARD_SWISH -> hardSwish(a, y, n);
            case HARD_SIGMOID -> hardSigmoid(a, p, q, y, n);
            case LEAKY_RELU -> leakyRelu(a, p, y, n);
            case CLIP -> clip(a, p, q, y, n);
            case ADD_CONSTANT -> addConstant(a, p, y, n);
            case SUBTRACT_FROM -> subtractFrom(p, a, y, n);
            case SCALE -> scale(a, p, y, n);
            case DIVIDE_BY -> divideBy(a, p, y, n);
            case AT_MOST -> atMost(a, p, y, n);
            case AT_LEAST -> atLeast(a, p, y, n);
            case ADD -> add(a, b, y, n);
            case SUBTRACT -> subtract(a, b, y, n);
            case MULTIPLY -> multiply(a, b, y, n);
            case DIVIDE -> divide(a, b, y, n);
            case MIN -> min(a, b, y, n);
            case MAX -> max(a, b, y, n);
        }
    }

    private static void negate(float[] a, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = -a[i];
        }
    }

    private static void absolute(float[] a, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = Math.abs(a[i]);
        }
    }

    private static void root(float[] a, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = (float) Math.sqrt(a[i]);
        }
    }

    private static void divideInto(float p, float[] a, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = p / a[i];
        }
    }

    private static void hardSwish(float[] a, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = a[i] * Math.max(0f, Math.min(1f, Math.fma(a[i], 1 / 6f, 0.5f)));
        }
    }

    private static void hardSigmoid(float[] a, float p, float q, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = Math.max(0f, Math.min(1f, Math.fma(a[i], p, q)));
        }
    }

    private static void leakyRelu(float[] a, float p, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = Math.max(a[i], 0f) + p * Math.min(a[i], 0f);
        }
    }

    private static void clip(float[] a, float p, float q, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = Math.min(q, Math.max(p, a[i]));
        }
    }

    private static void addConstant(float[] a, float p, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = a[i] + p;
        }
    }

    private static void subtractFrom(float p, float[] a, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = p - a[i];
        }
    }

    private static void scale(float[] a, float p, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = a[i] * p;
        }
    }

    private static void divideBy(float[] a, float p, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = a[i] / p;
        }
    }

    private static void atMost(float[] a, float p, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = Math.min(a[i], p);
        }
    }

    private static void atLeast(float[] a, float p, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = Math.max(a[i], p);
        }
    }

    private static void add(float[] a, float[] b, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = a[i] + b[i];
        }
    }

    private static void subtract(float[] a, float[] b, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = a[i] - b[i];
        }
    }

    private static void multiply(float[] a, float[] b, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = a[i] * b[i];
        }
    }

    private static void divide(float[] a, float[] b, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = a[i] / b[i];
        }
    }

    private static void min(float[] a, float[] b, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = Math.min(a[i], b[i]);
        }
    }

    private static void max(float[] a, float[] b, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = Math.max(a[i], b[i]);
        }
    }
}
