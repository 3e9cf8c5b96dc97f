package dev.millrace.bench.suite;

/** Cases whose ratios have a mean of their own. */
enum Group {
    FP32("fp32"),
    INT8("int8"),
    INT4("4-bit");

    private final String label;

    Group(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }
}
