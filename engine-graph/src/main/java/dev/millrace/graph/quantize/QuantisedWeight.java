package dev.millrace.graph.quantize;

import dev.millrace.graph.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * A quantised matrix of weights.
 *
 * @param zeros the packed zero points, or null where a symmetric range has none
 * @param error the relative root mean square error; not finite where the weights cannot be represented
 */
record QuantisedWeight(Tensor data, Tensor scales, @Nullable Tensor zeros, double error) {
    long bytes() {
        return data.segment().byteSize()
                + scales.segment().byteSize()
                + (zeros == null ? 0 : zeros.segment().byteSize());
    }
}
