package dev.millrace.kernels.layout;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;

/**
 * Runs of bytes, each from its place to another: a {@link LoopNest} whose inner loop is over the bytes of a run. The
 * parameter {@code bytes} is how many those are, for runs shorter than a vector; 0 is for all others.
 */
final class RunCopy implements KernelFamily {
    static final String NAME = "layout.runs";
    private static final String BYTES = "bytes";
    private static final int UNROLL = 4;

    static KernelKey key(long run, Target target) {
        return KernelKey.of(NAME).with(BYTES, run < target.vectorBytes() ? (int) run : 0);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas(BYTES);
        return new Writer(key, target).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final int vectorBytes;
        private final int run;
        private final LoopNest nest;

        Writer(KernelKey key, Target target) {
            vectorBytes = target.vectorBytes();
            run = key.number(BYTES, 0, vectorBytes - 1);
            builder = new ProgramBuilder(key.toString(), target);
            nest = new LoopNest(builder);
        }

        Program program() {
            ScalarVar middleTo = nest.middleTo();
            ScalarVar middleFrom = nest.middleFrom();
            try (var _ = builder.loop(nest.outer, 1)) {
                ScalarVar to = builder.copy(nest.to, "rowTo");
                ScalarVar from = builder.copy(nest.from, "rowFrom");
                ScalarVar left = builder.copy(nest.middle, "left");
                try (var _ = builder.loop(left, 1)) {
                    if (run > 0) {
                        shortRun(to, from);
                    } else {
                        longRun(to, from);
                    }
                    builder.advance(to, middleTo);
                    builder.advance(from, middleFrom);
                }
                nest.nextOuter();
            }
            return builder.build();
        }

        /** The last move may repeat bytes of the one before. */
        private void shortRun(ScalarVar to, ScalarVar from) {
            int widest = Integer.highestOneBit(Math.min(run, Long.BYTES));
            for (int done = 0; done < run; done += widest) {
                int left = run - done;
                int piece = left >= widest ? widest : Integer.highestOneBit(2 * left - 1);
                int at = Math.min(done, run - piece);
                builder.move(Address.at(to, at), Address.at(from, at), piece);
            }
        }

        private void longRun(ScalarVar runTo, ScalarVar runFrom) {
            ScalarVar to = builder.copy(runTo, "to");
            ScalarVar from = builder.copy(runFrom, "from");
            ScalarVar left = builder.copy(nest.inner, "bytes");
            vectors(to, from, left, UNROLL);
            vectors(to, from, left, 1);
            try (var _ = builder.ifNotZero(left)) {
                builder.scalar(left, ScalarOp.SUB, left, vectorBytes);
                VectorVar last = builder.load(Address.at(from, left, 1, 0));
                builder.store(Address.at(to, left, 1, 0), last);
            }
        }

        private void vectors(ScalarVar to, ScalarVar from, ScalarVar left, int count) {
            try (var _ = builder.loop(left, count * vectorBytes)) {
                VectorVar[] moved = new VectorVar[count];
                for (int i = 0; i < count; i++) {
                    moved[i] = builder.load(Address.at(from, i * vectorBytes));
                }
                for (int i = 0; i < count; i++) {
                    builder.store(Address.at(to, i * vectorBytes), moved[i]);
                }
                builder.advance(to, count * vectorBytes);
                builder.advance(from, count * vectorBytes);
            }
        }
    }
}
