package dev.millrace.bench.suite;

/** Cases whose ratios have a mean of their own. */
enum Group {
    FP32("fp32", 1e-3),
    INT8("int8", 0.25),
    INT4("4-bit", 0.02);

    private final String label;
    private final double tolerance;

    Group(String label, double tolerance) {
        this.label = label;
        this.tolerance = tolerance;
    }

    String label() {
        return label;
    }

    /** How far answers may be from the reference, relative to the largest output. */
    double tolerance() {
        return tolerance;
    }
}
