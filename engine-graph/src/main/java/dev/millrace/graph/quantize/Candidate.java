package dev.millrace.graph.quantize;

import dev.millrace.graph.ir.Value;

/**
 * A node whose constant operand can be quantised.
 *
 * @param operand the input that becomes unused, which is the constant or its transpose
 */
record Candidate(Value operand, Source source) {
    /**
     * A constant, read in one way. Nodes with equal sources share the quantised weight.
     *
     * @param isTable whether Gather reads rows of it, rather than a product all of it
     */
    record Source(Value value, WeightMatrix matrix, boolean isTable) {}
}
