package dev.millrace.kernels.conv;

import dev.millrace.kernels.family.KernelFamily;
import dev.millrace.kernels.family.KernelKey;
import dev.millrace.kernels.program.Address;
import dev.millrace.kernels.program.BinaryOp;
import dev.millrace.kernels.program.Constant;
import dev.millrace.kernels.program.Element;
import dev.millrace.kernels.program.MaskVar;
import dev.millrace.kernels.program.Program;
import dev.millrace.kernels.program.ProgramBuilder;
import dev.millrace.kernels.program.ScalarOp;
import dev.millrace.kernels.program.ScalarVar;
import dev.millrace.kernels.program.Target;
import dev.millrace.kernels.program.UnaryOp;
import dev.millrace.kernels.program.VectorVar;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * f(plain, blocked, pixels, channel, zero): brings one block of channels from planes that lie {@code channel} bytes
 * apart into the order of pixels, or back. Bytes become ints of 16 bits less {@code zero}, and back.
 */
public final class ReorderTile implements KernelFamily {
    private static final String NAME = "conv.f32.reorder";

    enum Direction {
        TO_BLOCKED,
        TO_PLAIN
    }

    /** What the elements of plain images are. */
    enum Elements {
        FLOATS(Element.WORD, Element.WORD, Element.WORD),
        UNSIGNED_BYTES(Element.U8, Element.S16, Element.U16),
        SIGNED_BYTES(Element.S8, Element.S16, Element.U16);

        private final Element plain;
        private final Element readBlocked;
        private final Element writeBlocked;

        Elements(Element plain, Element readBlocked, Element writeBlocked) {
            this.plain = plain;
            this.readBlocked = readBlocked;
            this.writeBlocked = writeBlocked;
        }

        int plainBytes() {
            return plain.bytes();
        }

        int blockedBytes() {
            return readBlocked.bytes();
        }
    }

    /** @param channels that the block has, up to the lanes of a vector */
    static KernelKey key(Direction direction, Elements elements, int channels) {
        return KernelKey.of(NAME)
                .with("direction", direction)
                .with("elements", elements)
                .with("channels", channels);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("direction", "elements", "channels");
        Direction direction = key.oneOf("direction", Direction.values());
        return new Writer(
                        key.toString(),
                        target,
                        direction,
                        key.oneOf("elements", Elements.values()),
                        key.number("channels", 1, target.lanes()))
                .program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final Direction direction;
        private final Elements elements;
        private final int channels;
        private final int lanes;
        private final ScalarVar plain;
        private final ScalarVar blocked;
        private final ScalarVar pixels;
        private final ScalarVar channel;
        private final ScalarVar zero;

        Writer(String name, Target target, Direction direction, Elements elements, int channels) {
            this.elements = elements;
            this.direction = direction;
            this.channels = channels;
            lanes = target.lanes();
            builder = new ProgramBuilder(name, target);
            plain = builder.parameter("plain");
            blocked = builder.parameter("blocked");
            pixels = builder.parameter("pixels");
            channel = builder.parameter("channel");
            zero = builder.parameter("zero");
        }

        Program program() {
            try (var _ = builder.loop(pixels, lanes)) {
                square(false);
                builder.advance(plain, elements.plainBytes() * lanes);
                builder.advance(blocked, elements.blockedBytes() * lanes * lanes);
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

        private VectorVar shifted(BinaryOp op, VectorVar row) {
            return elements == Elements.FLOATS ? row : builder.binary(op, row, builder.spread(zero));
        }

        private List<VectorVar> readChannels(boolean partial) {
            MaskVar mask = partial ? builder.firstLanes(pixels) : null;
            ScalarVar at = builder.copy(plain, "at");
            List<VectorVar> rows = new ArrayList<>();
            for (int i = 0; i < lanes; i++) {
                if (i < channels) {
                    rows.add(shifted(BinaryOp.INT_SUB, builder.load(elements.plain, Address.at(at, 0), mask)));
                    builder.advance(at, channel);
                } else {
                    rows.add(builder.unary(UnaryOp.COPY, Constant.ZERO));
                }
            }
            return rows;
        }

        private void writeChannels(List<VectorVar> rows, boolean partial) {
            MaskVar mask = partial ? builder.firstLanes(pixels) : null;
            ScalarVar at = builder.copy(plain, "at");
            for (int i = 0; i < channels; i++) {
                Element to = elements.plain == Element.S8 ? Element.U8 : elements.plain;
                builder.store(to, Address.at(at, 0), rows.get(i), mask);
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
            return builder.firstLanes(count);
        }

        private List<VectorVar> readPixels(boolean partial) {
            List<VectorVar> rows = new ArrayList<>();
            for (int i = 0; i < lanes; i++) {
                Address at = Address.at(blocked, elements.blockedBytes() * lanes * i);
                VectorVar row = builder.load(elements.readBlocked, at, whole(i, partial));
                rows.add(shifted(BinaryOp.INT_ADD, row));
            }
            return rows;
        }

        private void writePixels(List<VectorVar> rows, boolean partial) {
            for (int i = 0; i < lanes; i++) {
                Address at = Address.at(blocked, elements.blockedBytes() * lanes * i);
                builder.store(elements.writeBlocked, at, rows.get(i), whole(i, partial));
            }
        }
    }
}
