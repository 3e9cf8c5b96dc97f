package dev.millrace.kernels.fft;

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
import dev.millrace.codegen.program.VectorVar;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The kernel f(signal, cosine rows, tables, scratch of as many vectors as a frame has points, blocks of frames,
 * {@linkplain #DISTANCES distances}): computes spectra of frames of a signal, one frame in each lane, or in the first
 * lanes where there are fewer. The tables are those of {@link FourierTables}.
 *
 * <p>Neighbouring points of a frame are the two parts of a complex number, so that half as many points are transformed
 * by a radix-4 fast Fourier transform in place, by decimation in frequency. Each number and its mirror image then give
 * two numbers of the spectrum.
 */
final class FrameSpectra implements KernelFamily {
    static final String NAME = "spectrum.frames";

    /**
     * The size of the distances, longs in bytes: from one frame to the next, from one row to the next, from cosines to
     * sines.
     */
    static final int DISTANCES = 3 * Long.BYTES;

    /** @param frames frames in a block: as many as there are lanes, or fewer */
    static KernelKey key(int points, int frames) {
        return KernelKey.of(NAME).with("points", points).with("frames", frames);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("points", "frames");
        int most = key.powerOfTwo("points", FourierTables.MOST_POINTS);
        int points = key.number("points", FourierTables.LEAST_POINTS, most);
        int frames = key.number("frames", 1, target.lanes());
        return new Writer(key.toString(), target, points, frames).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final FourierTables tables;
        private final int vectorBytes;
        private final ScalarVar signal;
        private final ScalarVar rows;
        private final ScalarVar table;
        private final ScalarVar work;
        private final ScalarVar blocks;
        private final ScalarVar frame;
        private final ScalarVar row;
        private final ScalarVar sines;
        private final int frames;
        private final @Nullable MaskVar some;

        Writer(String name, Target target, int points, int frames) {
            this.frames = frames;
            builder = new ProgramBuilder(name, target);
            tables = new FourierTables(points);
            vectorBytes = target.vectorBytes();
            signal = builder.parameter("signal");
            rows = builder.parameter("rows");
            table = builder.parameter("table");
            work = builder.parameter("work");
            blocks = builder.parameter("blocks");
            ScalarVar distances = builder.parameter("distances");
            frame = builder.loadLong(Address.at(distances, 0), "frame");
            row = builder.loadLong(Address.at(distances, Long.BYTES), "row");
            sines = builder.loadLong(Address.at(distances, 2 * Long.BYTES), "sines");
            some = frames < target.lanes() ? builder.prefixMask(counter(frames)) : null;
        }

        Program program() {
            try (var _ = builder.loop(blocks, 1)) {
                window();
                int size = tables.numbers();
                for (; size >= 4; size /= 4) {
                    quarters(size);
                }
                if (size == 2) {
                    halves();
                }
                separate();
                ScalarVar block = builder.scalar("block");
                builder.scalar(block, ScalarOp.MUL, frame, frames);
                builder.advance(signal, block);
                builder.advance(rows, vectorBytes);
            }
            return builder.build();
        }

        private ScalarVar tableAt(int offset) {
            ScalarVar at = builder.copy(table, "at");
            builder.advance(at, offset);
            return at;
        }

        private ScalarVar counter(int count) {
            ScalarVar left = builder.scalar("left");
            builder.set(left, count);
            return left;
        }

        /**
         * Transposes the frames, so that each vector has one point of all of them, and multiplies the points by the
         * window.
         */
        private void window() {
            int lanes = builder.target().lanes();
            ScalarVar from = builder.copy(signal, "from");
            ScalarVar factors = tableAt(tables.windowOffset());
            ScalarVar to = builder.copy(work, "to");
            ScalarVar left = counter(tables.points());
            try (var _ = builder.loop(left, lanes)) {
                ScalarVar at = builder.copy(from, "frameAt");
                List<VectorVar> parts = new ArrayList<>();
                for (int i = 0; i < frames; i++) {
                    parts.add(builder.load(Address.at(at, 0)));
                    builder.advance(at, frame);
                }
                while (parts.size() < lanes) {
                    parts.add(parts.getFirst());
                }
                List<VectorVar> columns = builder.transpose(parts);
                for (int i = 0; i < lanes; i++) {
                    VectorVar factor = builder.broadcast(Address.at(factors, i * Float.BYTES));
                    builder.store(Address.at(to, i * vectorBytes), builder.mul(columns.get(i), factor));
                }
                builder.advance(from, vectorBytes);
                builder.advance(factors, vectorBytes);
                builder.advance(to, lanes * vectorBytes);
            }
        }

        /** A complex number of each frame. */
        private record Complex(VectorVar real, VectorVar imaginary) {}

        private Complex load(ScalarVar at, int offset) {
            return new Complex(
                    builder.load(Address.at(at, offset)), builder.load(Address.at(at, offset + vectorBytes)));
        }

        private void store(ScalarVar at, int offset, Complex number) {
            builder.store(Address.at(at, offset), number.real);
            builder.store(Address.at(at, offset + vectorBytes), number.imaginary);
        }

        private Complex sum(Complex a, Complex b) {
            return new Complex(builder.add(a.real, b.real), builder.add(a.imaginary, b.imaginary));
        }

        private Complex difference(Complex a, Complex b) {
            return new Complex(builder.sub(a.real, b.real), builder.sub(a.imaginary, b.imaginary));
        }

        /** Returns a number rotated clockwise by the angle whose cosine and sine are in the table. */
        private Complex turned(Complex a, ScalarVar at, int offset) {
            VectorVar cosine = builder.broadcast(Address.at(at, offset));
            VectorVar sine = builder.broadcast(Address.at(at, offset + Float.BYTES));
            return new Complex(
                    builder.multiplyAdd(a.imaginary, sine, builder.mul(a.real, cosine)),
                    builder.multiplySubtract(a.real, sine, builder.mul(a.imaginary, cosine)));
        }

        /**
         * Writes the radix-4 butterflies of all groups of {@code size} numbers, which leave four transforms of a
         * quarter of that size in each.
         */
        private void quarters(int size) {
            int quarter = size / 4;
            ScalarVar at = builder.copy(work, "number");
            ScalarVar groups = counter(tables.numbers() / size);
            try (var _ = builder.loop(groups, 1)) {
                if (quarter == 1) {
                    butterfly(at, quarter, null);
                    builder.advance(at, size * 2 * vectorBytes);
                } else {
                    ScalarVar turns = tableAt(tables.turnsOffset(size));
                    ScalarVar left = counter(quarter);
                    try (var _ = builder.loop(left, 1)) {
                        butterfly(at, quarter, turns);
                        builder.advance(at, 2 * vectorBytes);
                        builder.advance(turns, FourierTables.TURNS_BYTES);
                    }
                    builder.advance(at, (size - quarter) * 2 * vectorBytes);
                }
            }
        }

        private void butterfly(ScalarVar at, int quarter, @Nullable ScalarVar turns) {
            int step = quarter * 2 * vectorBytes;
            Complex first = load(at, 0);
            Complex third = load(at, 2 * step);
            Complex evenSum = sum(first, third);
            Complex evenDifference = difference(first, third);
            Complex second = load(at, step);
            Complex fourth = load(at, 3 * step);
            Complex oddSum = sum(second, fourth);
            Complex oddDifference = difference(second, fourth);
            store(at, 0, sum(evenSum, oddSum));
            Complex two = difference(evenSum, oddSum);
            store(at, 2 * step, turns == null ? two : turned(two, turns, 2 * Float.BYTES));
            Complex one = new Complex(
                    builder.add(evenDifference.real, oddDifference.imaginary),
                    builder.sub(evenDifference.imaginary, oddDifference.real));
            store(at, step, turns == null ? one : turned(one, turns, 0));
            Complex three = new Complex(
                    builder.sub(evenDifference.real, oddDifference.imaginary),
                    builder.add(evenDifference.imaginary, oddDifference.real));
            store(at, 3 * step, turns == null ? three : turned(three, turns, 4 * Float.BYTES));
        }

        /** Writes the radix-2 butterflies of pairs of numbers. */
        private void halves() {
            ScalarVar at = builder.copy(work, "number");
            ScalarVar left = counter(tables.numbers() / 2);
            try (var _ = builder.loop(left, 1)) {
                Complex first = load(at, 0);
                Complex second = load(at, 2 * vectorBytes);
                store(at, 0, sum(first, second));
                store(at, 2 * vectorBytes, difference(first, second));
                builder.advance(at, 4 * vectorBytes);
            }
        }

        /**
         * Writes the spectrum of all points from the complex transform, which holds the spectra of even and of odd
         * points.
         */
        private void separate() {
            VectorVar sign = builder.broadcast(Address.at(table, tables.signOffset()));
            ScalarVar up = builder.copy(rows, "up");
            ScalarVar down = builder.scalar("down");
            builder.scalar(down, ScalarOp.MUL, row, tables.numbers());
            builder.advance(down, rows);
            ends(up, down);
            ScalarVar pairs = tableAt(tables.pairsOffset());
            ScalarVar left = counter(tables.numbers() / 2);
            try (var _ = builder.loop(left, 1)) {
                builder.advance(up, row);
                builder.scalar(down, ScalarOp.SUB, down, row);
                pair(number(pairs, 0), number(pairs, Integer.BYTES), pairs, up, down, sign);
                builder.advance(pairs, FourierTables.PAIR_BYTES);
            }
        }

        private void ends(ScalarVar first, ScalarVar last) {
            Complex number = load(work, 0);
            VectorVar sum = builder.add(number.real, number.imaginary);
            VectorVar difference = builder.sub(number.real, number.imaginary);
            put(Address.at(first, 0), builder.add(sum, sum));
            put(Address.at(last, 0), builder.add(difference, difference));
            VectorVar zero = builder.vector("zero");
            builder.set(zero, Constant.ZERO);
            put(Address.at(first, sines, 1, 0), zero);
            put(Address.at(last, sines, 1, 0), zero);
        }

        private void put(Address to, VectorVar row) {
            builder.store(to, row, some);
        }

        /** Returns a number of the transform, whose position is in the table. */
        private Complex number(ScalarVar at, int offset) {
            ScalarVar place = builder.loadInt(Address.at(at, offset), "place");
            builder.scalar(place, ScalarOp.MUL, place, 2 * vectorBytes);
            return new Complex(
                    builder.load(Address.at(work, place, 1, 0)), builder.load(Address.at(work, place, 1, vectorBytes)));
        }

        private void pair(
                Complex number, Complex mirrored, ScalarVar pairs, ScalarVar up, ScalarVar down, VectorVar sign) {
            Complex even = new Complex(
                    builder.add(number.real, mirrored.real), builder.sub(number.imaginary, mirrored.imaginary));
            Complex odd = new Complex(
                    builder.add(number.imaginary, mirrored.imaginary), builder.sub(mirrored.real, number.real));
            Complex turned = turned(odd, pairs, 2 * Integer.BYTES);
            put(Address.at(up, 0), builder.add(even.real, turned.real));
            put(Address.at(down, 0), builder.sub(even.real, turned.real));
            VectorVar rising = builder.add(even.imaginary, turned.imaginary);
            VectorVar falling = builder.sub(turned.imaginary, even.imaginary);
            put(Address.at(up, sines, 1, 0), builder.mul(rising, sign));
            put(Address.at(down, sines, 1, 0), builder.mul(falling, sign));
        }
    }
}
