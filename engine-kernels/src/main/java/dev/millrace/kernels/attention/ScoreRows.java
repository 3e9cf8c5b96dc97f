package dev.millrace.kernels.attention;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ProgramValue;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;

/**
 * The writer of a loop over the rows of a block of scores; the arguments are those of {@link SoftmaxArguments}.
 *
 * <p>Each row has the state of an online softmax, three vectors: its running maximum in all lanes (times log2(e) where
 * the rule is nothing but the scale), the factor that rescales its earlier weights to that maximum, and the sums of its
 * weights, lane by lane.
 */
abstract class ScoreRows {
    /** The size of a row's state in vectors. */
    static final int STATE_VECTORS = 3;

    static final Constant LOG2_E = Constant.of(1.442695f);

    protected final ProgramBuilder builder;
    protected final int lanes;
    protected final int bytes;
    protected final ScalarVar scores;
    protected final ScalarVar state;
    protected final ScalarVar row;
    private final ScalarVar arguments;

    ScoreRows(String name, Target target) {
        lanes = target.lanes();
        bytes = target.vectorBytes();
        builder = new ProgramBuilder(name, target);
        arguments = builder.parameter("arguments");
        scores = argument(SoftmaxArguments.SCORES, "scores");
        state = argument(SoftmaxArguments.STATE, "state");
        row = builder.scalar("row");
        builder.set(row, 0);
    }

    protected final ScalarVar argument(int offset, String name) {
        return builder.loadLong(Address.at(arguments, offset), name);
    }

    protected final VectorVar number(int offset) {
        return builder.broadcast(Address.at(arguments, offset));
    }

    protected final Address largest() {
        return Address.at(state, 0);
    }

    protected final Address factor() {
        return Address.at(state, bytes);
    }

    protected final Address sum() {
        return Address.at(state, 2 * bytes);
    }

    /** Returns a part of the state, or another value in the first block. */
    protected final VectorVar before(Address part, ProgramValue inFirst) {
        VectorVar before = builder.vector("before");
        try (var _ = builder.ifNotZero(argument(SoftmaxArguments.FIRST, "first"))) {
            builder.set(before, inFirst);
        }
        try (var _ = builder.otherwise()) {
            builder.set(before, builder.load(part));
        }
        return before;
    }

    protected final void nextRow() {
        builder.advance(scores, argument(SoftmaxArguments.SCORE_STRIDE, "stride"));
        builder.advance(state, STATE_VECTORS * bytes);
        builder.advance(row, 1);
    }

    /** Returns the number of keys of the block that take part in this row. */
    protected final ScalarVar valid() {
        ScalarVar valid = argument(SoftmaxArguments.VALID_STEP, "valid");
        builder.scalar(valid, ScalarOp.MUL, valid, row);
        builder.scalar(valid, ScalarOp.ADD, valid, argument(SoftmaxArguments.VALID, "first"));
        builder.scalar(valid, ScalarOp.MAX, valid, 0);
        builder.scalar(valid, ScalarOp.MIN, valid, argument(SoftmaxArguments.KEYS, "keys"));
        return valid;
    }

    protected final VectorVar[] vectors(int count, Constant value) {
        VectorVar[] vectors = new VectorVar[count];
        for (int i = 0; i < count; i++) {
            vectors[i] = builder.vector("v");
            builder.set(vectors[i], value);
        }
        return vectors;
    }
}
