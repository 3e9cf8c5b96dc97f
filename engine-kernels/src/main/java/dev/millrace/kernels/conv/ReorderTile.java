package dev.millrace.kernels.conv;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * f(plain, blocked, pixels, channel): brings one block of channels from planes that lie {@code channel} bytes apart
 * into the order of pixels, or back.
 */
final class ReorderTile implements KernelFamily {
    static final String NAME = "conv.f32.reorder";

    enum Direction {
        TO_BLOCKED,
        TO_PLAIN
    }

    /** @param channels that the block has, up to the lanes of a vector */
    static KernelKey key(Direction direction, int channels) {
        return KernelKey.of(NAME).with("direction", direction).with("channels", channels);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("direction", "channels");
        Direction direction = key.oneOf("direction", Direction.values());
        return new Writer(key.toString(), target, direction, key.number("channels", 1, target.lanes())).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final Direction direction;
        private final int channels;
        private final int lanes;
        private final ScalarVar plain;
        private final ScalarVar blocked;
        private final ScalarVar pixels;
        private final ScalarVar channel;

        Writer(String name, Target target, Direction direction, int channels) {
            this.direction = direction;
            this.channels = channels;
            lanes = target.lanes();
            builder = new ProgramBuilder(name, target);
            plain = builder.parameter("plain");
            blocked = builder.parameter("blocked");
            pixels = builder.parameter("pixels");
            channel = builder.parameter("channel");
        }

        Program program() {
            try (var _ = builder.loop(pixels, lanes)) {
                square(false);
                builder.advance(plain, 4 * lanes);
                builder.advance(blocked, 4 * lanes * lanes);
            }
            try (var _ = builder.ifNotZero(pixels)) {
                square(true);
            }
            return builder.build();
        }

        private void square(boolean partial) {
            if (direction == Direction.TO_BLOCKED) {
                writePixels(builder.transpose(readChannels(partial)), partial);
            } else {
                writeChannels(builder.transpose(readPixels(partial)), partial);
            }
        }

        private List<VectorVar> readChannels(boolean partial) {
            MaskVar mask = partial ? builder.prefixMask(pixels) : null;
            ScalarVar at = builder.copy(plain, "at");
            List<VectorVar> rows = new ArrayList<>();
            for (int i = 0; i < lanes; i++) {
                if (i < channels) {
                    rows.add(builder.load(Address.at(at, 0), mask));
                    builder.advance(at, channel);
                } else {
                    rows.add(builder.unary(UnaryOp.COPY, Constant.ZERO));
                }
            }
            return rows;
        }

        private void writeChannels(List<VectorVar> rows, boolean partial) {
            MaskVar mask = partial ? builder.prefixMask(pixels) : null;
            ScalarVar at = builder.copy(plain, "at");
            for (int i = 0; i < channels; i++) {
                builder.store(Address.at(at, 0), rows.get(i), mask);
                builder.advance(at, channel);
            }
        }

        /** All lanes of a pixel that is there, none of one that is not. */
        private @Nullable MaskVar whole(int pixel, boolean partial) {
            if (!partial) {
                return null;
            }
            ScalarVar count = builder.scalar("count");
            builder.scalar(count, ScalarOp.SUB, pixels, pixel);
            builder.scalar(count, ScalarOp.MAX, count, 0);
            builder.scalar(count, ScalarOp.MUL, count, lanes);
            builder.scalar(count, ScalarOp.MIN, count, lanes);
            return builder.prefixMask(count);
        }

        private List<VectorVar> readPixels(boolean partial) {
            List<VectorVar> rows = new ArrayList<>();
            for (int i = 0; i < lanes; i++) {
                rows.add(builder.load(Address.at(blocked, 4 * lanes * i), whole(i, partial)));
            }
            return rows;
        }

        private void writePixels(List<VectorVar> rows, boolean partial) {
            for (int i = 0; i < lanes; i++) {
                builder.store(Address.at(blocked, 4 * lanes * i), rows.get(i), whole(i, partial));
            }
        }
    }
}
