package dev.millrace.graph.quantize;

import dev.millrace.graph.EngineException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the weights of a model are quantised. An immutable snapshot; {@link #builder()} makes one.
 *
 * @param method the operators that take the place of matrix products
 * @param bits the bits of a weight, 4 or 8; {@link Method#DYNAMIC} has 8
 * @param blockSize the number of weights that share a scale, with {@link Method#BLOCKS}
 * @param symmetric whether blocks have no zero points, with {@link Method#BLOCKS}
 * @param scaleSearch whether the scale of a block is the best of several, rather than that of its largest weight
 * @param accuracyLevel MatMulNBits' attribute {@code accuracy_level}; 4 allows products of bytes, 0 leaves it out
 * @param embedding whether the tables of Gather are quantised, too
 * @param fp16Scales whether scales are stored in 16 bits where the model computes in float32
 * @param minElements weights of fewer elements stay
 * @param include patterns of the names of nodes or weights to quantise; empty for all. {@code *} stands for any text,
 *     {@code ?} for a character
 * @param exclude patterns of the names of nodes or weights that stay
 * @param threads the number of threads; it does not affect the result
 */
public record QuantizeOptions(
        Method method,
        int bits,
        int blockSize,
        boolean symmetric,
        boolean scaleSearch,
        int accuracyLevel,
        boolean embedding,
        boolean fp16Scales,
        long minElements,
        List<String> include,
        List<String> exclude,
        int threads) {

    /** The operators that take the place of matrix products. */
    public enum Method {
        /** Uses MatMulNBits: weights in blocks along the inner dimension, products of floats. */
        BLOCKS,
        /** Uses DynamicQuantizeLinear and MatMulInteger: int8 weights with a scale per column, products of bytes. */
        DYNAMIC
    }

    private static final int LEAST_BLOCK = 16;
    private static final int MOST_BLOCK = 256;
    private static final int MOST_LEVEL = 4;

    public QuantizeOptions {
        include = List.copyOf(include);
        exclude = List.copyOf(exclude);
        if (bits != 4 && bits != 8) {
            throw EngineException.invalidArgument("weights of " + bits + " bits are not made; 4 and 8 are possible");
        }
        if (method == Method.DYNAMIC && (bits != 8 || embedding)) {
            throw EngineException.invalidArgument("the method DYNAMIC has 8 bits and leaves embeddings as they are");
        }
        if (blockSize < LEAST_BLOCK || blockSize > MOST_BLOCK || Integer.bitCount(blockSize) != 1) {
            throw EngineException.invalidArgument(
                    "blocks of " + blockSize + " weights are not made; 16, 32, 64, 128 and 256 are possible");
        }
        if (accuracyLevel < 0 || accuracyLevel > MOST_LEVEL) {
            throw EngineException.invalidArgument("accuracy level " + accuracyLevel + " is not between 0 and 4");
        }
        if (minElements < 0 || threads < 1) {
            throw EngineException.invalidArgument(
                    "minElements is at least 0 and threads at least 1; given: " + minElements + " and " + threads);
        }
    }

    public static QuantizeOptions defaults() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** A builder that starts from these options. */
    public Builder toBuilder() {
        return builder()
                .method(method)
                .bits(bits)
                .blockSize(blockSize)
                .symmetric(symmetric)
                .scaleSearch(scaleSearch)
                .accuracyLevel(accuracyLevel)
                .embedding(embedding)
                .fp16Scales(fp16Scales)
                .minElements(minElements)
                .include(include)
                .exclude(exclude)
                .threads(threads);
    }

    /** The options in a line, without those that do not affect the result. */
    String summary() {
        return method == Method.DYNAMIC
                ? "method=dynamic bits=8"
                : "method=blocks bits=" + bits + " block_size=" + blockSize + " symmetric=" + symmetric
                        + " scale_search=" + scaleSearch + " accuracy_level=" + accuracyLevel + " embedding="
                        + embedding + " fp16_scales=" + fp16Scales;
    }

    /** A builder of options. Every option has a default: 4 bits in symmetric blocks of 32. */
    public static final class Builder {
        private Method method = Method.BLOCKS;
        private @Nullable Integer bits;
        private int blockSize = 32;
        private boolean symmetric = true;
        private boolean scaleSearch = true;
        private int accuracyLevel;
        private boolean embedding;
        private boolean fp16Scales;
        private long minElements = 4096;
        private List<String> include = List.of();
        private List<String> exclude = List.of();
        private int threads = Runtime.getRuntime().availableProcessors();

        private Builder() {}

        public Builder method(Method value) {
            method = value;
            return this;
        }

        /** Sets the bits of a weight; by default 4 in blocks and 8 with {@link Method#DYNAMIC}. */
        public Builder bits(int value) {
            bits = value;
            return this;
        }

        public Builder blockSize(int value) {
            blockSize = value;
            return this;
        }

        public Builder symmetric(boolean value) {
            symmetric = value;
            return this;
        }

        public Builder scaleSearch(boolean value) {
            scaleSearch = value;
            return this;
        }

        public Builder accuracyLevel(int value) {
            accuracyLevel = value;
            return this;
        }

        public Builder embedding(boolean value) {
            embedding = value;
            return this;
        }

        public Builder fp16Scales(boolean value) {
            fp16Scales = value;
            return this;
        }

        public Builder minElements(long value) {
            minElements = value;
            return this;
        }

        public Builder include(List<String> patterns) {
            include = List.copyOf(patterns);
            return this;
        }

        public Builder exclude(List<String> patterns) {
            exclude = List.copyOf(patterns);
            return this;
        }

        public Builder threads(int value) {
            threads = value;
            return this;
        }

        public QuantizeOptions build() {
            int usual = method == Method.DYNAMIC ? 8 : 4;
            return new QuantizeOptions(
                    method,
                    bits == null ? usual : bits,
                    blockSize,
                    symmetric,
                    scaleSearch,
                    accuracyLevel,
                    embedding,
                    fp16Scales,
                    minElements,
                    include,
                    exclude,
                    threads);
        }
    }
}
