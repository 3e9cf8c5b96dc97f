package dev.millrace.providers.simd.rule.experts;

import dev.millrace.kernels.expression.Elementwise;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.View;
import java.util.ArrayList;
import java.util.List;

/**
 * The step of a mixture of experts. An expert that several tokens go through multiplies them together, and experts that
 * no token goes through are not read.
 *
 * @param gated whether the first layer computes gates, and values behind them
 * @param tokens a row of floats for each token
 * @param scores a row of floats for each token, one for each expert
 */
record ExpertStep(
        ExpertRouting routing,
        PackedExperts first,
        PackedExperts second,
        boolean gated,
        Elementwise function,
        View tokens,
        View scores,
        View out) {
    private static final long ALIGNMENT = 64;

    ProgramStep of(String name, int width) {
        View firstWeights = first.weights();
        View secondWeights = second.weights();
        View firstBiases = first.biases();
        View secondBiases = second.biases();
        var reads = new ArrayList<>(List.of(tokens, scores, firstWeights, secondWeights));
        if (firstBiases != null) {
            reads.add(firstBiases);
        }
        if (secondBiases != null) {
            reads.add(secondBiases);
        }
        long scratch = Math.max(scratch(first, width), scratch(second, width));
        long routes = (long) routing.tokens() * routing.chosen();
        return ProgramStep.of(() -> routing.chosen() + " of " + routing.experts() + " experts " + first.gemm(), name)
                .reading(reads)
                .writing(out)
                .work(routes * (first.k() * first.n() + second.k() * second.n()))
                .scratch(productsAt() + scratch)
                .calling(memory -> new ExpertCall(
                        this,
                        new ExpertCall.Weights(first, memory, firstWeights, firstBiases),
                        new ExpertCall.Weights(second, memory, secondWeights, secondBiases),
                        memory));
    }

    /** The offset of the results of the first layer in the scratch memory, behind the tokens of an expert. */
    long hiddenAt() {
        return up(Float.BYTES * routing.tokens() * first.k());
    }

    /** The offset of the results of all routes. */
    long outputsAt() {
        return hiddenAt() + up(Float.BYTES * routing.tokens() * first.n());
    }

    /** The offset of the scratch memory of products. */
    long productsAt() {
        return outputsAt() + up(Float.BYTES * (long) routing.tokens() * routing.chosen() * second.n());
    }

    /** The scratch memory of a product of any number of tokens. */
    private long scratch(PackedExperts layer, int width) {
        long most = 0;
        for (long m : new long[] {1, 2, routing.tokens()}) {
            most = Math.max(most, layer.gemm().scratchBytes(m, layer.n(), layer.k(), width));
        }
        return up(most);
    }

    private static long up(long bytes) {
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
}
