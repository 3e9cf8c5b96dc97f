package dev.millrace.kernels.attention;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import org.jspecify.annotations.Nullable;

/**
 * f(state, Q, K, V, O, sizes): takes in the key and the value of a step, and answers its queries, for some columns of the
 * state of a head. Columns do not depend on each other. {@code sizes} is memory of longs by {@link Size}, with a float behind them,
 * the scale of queries.
 */
final class StateColumns implements KernelFamily {
    static final String NAME = "attention.state";
    static final int MAX_VECTORS = 4;

    /** The numbers of a call. Distances are in bytes, and those that end with POINTER are pointers. */
    enum Size {
        /** Rows of the state. */
        DEPTH,
        /** Heads of queries. */
        GROUP,
        STATE_ROW,
        /** The lanes of the last vector; masked kernels only. */
        TAIL,
        QUERY_HEAD,
        OUT_HEAD,
        DECAY_POINTER,
        RATE_POINTER
    }

    static final int SCALE = Long.BYTES * Size.values().length;
    static final int SIZES_BYTES = 128;

    /** @param masked whether the last vector has fewer columns */
    static KernelKey key(LinearAttention.Rule rule, int vectors, boolean masked) {
        return KernelKey.of(NAME)
                .with("decay", rule.decay())
                .with("corrects", rule.corrects() ? 1 : 0)
                .with("vectors", vectors)
                .with("masked", masked ? 1 : 0);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("decay", "corrects", "vectors", "masked");
        var rule = new LinearAttention.Rule(
                key.oneOf("decay", LinearAttention.Decay.values()), key.number("corrects", 0, 1) == 1);
        int vectors = key.number("vectors", 1, MAX_VECTORS);
        return new Writer(key.toString(), target, rule, vectors, key.number("masked", 0, 1) == 1).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final LinearAttention.Rule rule;
        private final int vectors;
        private final int bytes;
        private final ScalarVar state;
        private final ScalarVar queries;
        private final ScalarVar keys;
        private final ScalarVar values;
        private final ScalarVar out;
        private final ScalarVar sizes;
        private final @Nullable MaskVar mask;

        Writer(String name, Target target, LinearAttention.Rule rule, int vectors, boolean masked) {
            this.rule = rule;
            this.vectors = vectors;
            bytes = target.vectorBytes();
            builder = new ProgramBuilder(name, target);
            state = builder.parameter("state");
            queries = builder.parameter("queries");
            keys = builder.parameter("keys");
            values = builder.parameter("values");
            out = builder.parameter("out");
            sizes = builder.parameter("sizes");
            mask = masked ? builder.prefixMask(size(Size.TAIL)) : null;
        }

        private ScalarVar size(Size size) {
            return builder.loadLong(sizes, size);
        }

        private @Nullable MaskVar mask(int vector) {
            return vector == vectors - 1 ? mask : null;
        }

        Program program() {
            VectorVar[] taken = new VectorVar[vectors];
            for (int j = 0; j < vectors; j++) {
                taken[j] = builder.load(Address.at(values, j * bytes), mask(j));
            }
            if (rule.corrects()) {
                correct(taken);
            }
            takeIn(taken);
            answer();
            return builder.build();
        }

        private VectorVar[] zeros() {
            VectorVar[] sums = new VectorVar[vectors];
            for (int j = 0; j < vectors; j++) {
                sums[j] = builder.vector("sum");
                builder.set(sums[j], Constant.ZERO);
            }
            return sums;
        }

        /** Lets the state fade, and replaces values by what they differ from the state's, by a rate. */
        private void correct(VectorVar[] taken) {
            VectorVar[] known = zeros();
            ScalarVar each = size(Size.DECAY_POINTER);
            VectorVar decay = decayOfHead(each);
            ScalarVar row = builder.copy(state, "row");
            ScalarVar key = builder.copy(keys, "key");
            ScalarVar left = size(Size.DEPTH);
            ScalarVar stride = size(Size.STATE_ROW);
            try (var _ = builder.loop(left, 1)) {
                VectorVar weight = builder.broadcast(Address.at(key, 0));
                VectorVar factor = decayOfRow(decay, each);
                for (int j = 0; j < vectors; j++) {
                    VectorVar some = builder.load(Address.at(row, j * bytes), mask(j));
                    if (factor != null) {
                        some = builder.mul(some, factor);
                        builder.store(Address.at(row, j * bytes), some, mask(j));
                    }
                    builder.accumulate(known[j], weight, some);
                }
                builder.advance(row, stride);
                builder.advance(key, Float.BYTES);
                builder.advance(each, Float.BYTES);
            }
            VectorVar rate = builder.broadcast(Address.at(size(Size.RATE_POINTER), 0));
            for (int j = 0; j < vectors; j++) {
                taken[j] = builder.mul(builder.sub(taken[j], known[j]), rate);
            }
        }

        private @Nullable VectorVar decayOfHead(ScalarVar decays) {
            return rule.decay() == LinearAttention.Decay.OF_HEAD ? builder.broadcast(Address.at(decays, 0)) : null;
        }

        private @Nullable VectorVar decayOfRow(@Nullable VectorVar ofHead, ScalarVar each) {
            return rule.decay() == LinearAttention.Decay.OF_ROW ? builder.broadcast(Address.at(each, 0)) : ofHead;
        }

        /** Adds the products of keys and values to the state, which fades before if it has not yet. */
        private void takeIn(VectorVar[] taken) {
            ScalarVar each = size(Size.DECAY_POINTER);
            VectorVar decay = rule.corrects() ? null : decayOfHead(each);
            ScalarVar row = builder.copy(state, "row");
            ScalarVar key = builder.copy(keys, "key");
            ScalarVar left = size(Size.DEPTH);
            ScalarVar stride = size(Size.STATE_ROW);
            try (var _ = builder.loop(left, 1)) {
                VectorVar weight = builder.broadcast(Address.at(key, 0));
                VectorVar factor = rule.corrects() ? null : decayOfRow(decay, each);
                for (int j = 0; j < vectors; j++) {
                    VectorVar some = builder.load(Address.at(row, j * bytes), mask(j));
                    VectorVar faded = factor == null ? some : builder.mul(some, factor);
                    builder.accumulate(faded, weight, taken[j]);
                    builder.store(Address.at(row, j * bytes), faded, mask(j));
                }
                builder.advance(row, stride);
                builder.advance(key, Float.BYTES);
                builder.advance(each, Float.BYTES);
            }
        }

        private void answer() {
            ScalarVar query = builder.copy(queries, "query");
            ScalarVar to = builder.copy(out, "to");
            ScalarVar heads = size(Size.GROUP);
            try (var _ = builder.loop(heads, 1)) {
                VectorVar[] sums = zeros();
                ScalarVar row = builder.copy(state, "row");
                ScalarVar element = builder.copy(query, "element");
                ScalarVar left = size(Size.DEPTH);
                ScalarVar stride = size(Size.STATE_ROW);
                try (var _ = builder.loop(left, 1)) {
                    VectorVar weight = builder.broadcast(Address.at(element, 0));
                    for (int j = 0; j < vectors; j++) {
                        builder.accumulate(sums[j], weight, builder.load(Address.at(row, j * bytes), mask(j)));
                    }
                    builder.advance(row, stride);
                    builder.advance(element, Float.BYTES);
                }
                VectorVar scale = builder.broadcast(Address.at(sizes, SCALE));
                for (int j = 0; j < vectors; j++) {
                    builder.store(Address.at(to, j * bytes), builder.mul(sums[j], scale), mask(j));
                }
                builder.advance(query, size(Size.QUERY_HEAD));
                builder.advance(to, size(Size.OUT_HEAD));
            }
        }
    }
}
