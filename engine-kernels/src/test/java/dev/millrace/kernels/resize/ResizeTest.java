package dev.millrace.kernels.resize;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.resize.ResizeRule.Coordinates;
import dev.millrace.kernels.resize.ResizeRule.Mode;
import dev.millrace.kernels.resize.ResizeRule.Rounding;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The numbers are those of ONNX's reference evaluator. */
class ResizeTest {
    private static final ResizeAxis UP = ResizeAxis.of(0, 6, 9);
    private static final ResizeAxis DOWN = new ResizeAxis(0, 6, 3, 0.6f, 0, 1);

    @AutoClose
    private final Kernels kernels = Kernels.open(System::getProperty);

    @AutoClose
    private final Arena arena = Arena.ofShared();

    private void assertResized(ResizeRule rule, ResizeAxis axis, float... expected) {
        assertArrayEquals(expected, resized(rule, axis, 1, 2, 4, 8, 16, 32), 5e-5f);
    }

    private float[] resized(ResizeRule rule, ResizeAxis axis, float... numbers) {
        MemorySegment data = arena.allocateFrom(ValueLayout.JAVA_FLOAT, numbers);
        MemorySegment out = arena.allocate(4L * axis.to());
        ResizePlan plan = plan(rule, axis, numbers.length);
        new Resize(kernels.set()).run(plan, 4, data, out, 7, MemorySegment.NULL, Parallel.NONE);
        return out.toArray(ValueLayout.JAVA_FLOAT);
    }

    private ResizePlan plan(ResizeRule rule, ResizeAxis axis, long... dims) {
        return new ResizePlan(rule, dims, List.of(axis), kernels.set().target(), arena);
    }

    private static ResizeRule rule(Mode mode, boolean excludeOutside, boolean antialias) {
        return new ResizeRule(
                mode, Coordinates.HALF_PIXEL, Rounding.ROUND_PREFER_FLOOR, -0.75f, excludeOutside, antialias);
    }

    @Test
    void linearIsAsOnnxDefinesIt() {
        ResizeRule linear = ResizeRule.of(Mode.LINEAR);
        assertResized(linear, UP, 1, 1.5f, 2.3333333f, 3.6666667f, 6, 9.333333f, 14.666667f, 24, 32);
        assertResized(linear.with(Coordinates.HALF_PIXEL_SYMMETRIC), DOWN, 1.8333334f, 6, 18.666666f);
        assertResized(linear.with(Coordinates.ALIGN_CORNERS), ResizeAxis.of(0, 6, 4), 1, 3.3333333f, 10.666667f, 32);
        assertResized(
                linear.with(Coordinates.TF_CROP_AND_RESIZE),
                new ResizeAxis(0, 6, 5, 1, 0.2f, 1.1f),
                2,
                4.5f,
                10,
                22,
                7);
    }

    @Test
    void placesFarFromTheStartAreAsExactAsThoseNearIt() {
        float[] step = new float[4000];
        Arrays.fill(step, 3000, 4000, 1);
        ResizeAxis axis = new ResizeAxis(0, 4000, 7600, 1.9f, 0, 1);
        int result = 5699;
        float weight = (float) ((result + 0.5) / axis.scale() - 0.5 - 2999);
        assertEquals(weight, resized(ResizeRule.of(Mode.LINEAR), axis, step)[result], 1e-6f);
    }

    @Test
    void cubicIsAsOnnxDefinesIt() {
        float[] inner = {1.3125f, 2.3044016f, 3.383102f, 5.4375f, 9.217607f, 13.532408f, 24.75f};
        assertResized(
                ResizeRule.of(Mode.CUBIC),
                UP,
                0.9131948f,
                inner[0],
                inner[1],
                inner[2],
                inner[3],
                inner[4],
                inner[5],
                inner[6],
                33.388901f);
        assertResized(
                rule(Mode.CUBIC, true, false),
                UP,
                0.8986486f,
                1.2857143f,
                inner[1],
                inner[2],
                inner[3],
                inner[4],
                inner[5],
                25.371429f,
                33.621624f);
    }

    @Test
    void antialiasingIsAsOnnxDefinesIt() {
        assertResized(rule(Mode.LINEAR, false, true), DOWN, 1.375f, 4.444444f, 14.999998f);
        assertResized(rule(Mode.CUBIC, false, true), DOWN, 1.1301187f, 3.6761997f, 14.0240927f);
        assertResized(rule(Mode.CUBIC, true, true), DOWN, 1.1377532f, 3.6385057f, 15.1221666f);
    }

    @Test
    void nearestIsAsOnnxDefinesIt() {
        ResizeRule nearest = ResizeRule.of(Mode.NEAREST).with(Coordinates.ASYMMETRIC);
        assertResized(nearest.with(Rounding.CEIL), UP, 1, 2, 4, 4, 8, 16, 16, 32, 32);
        assertResized(nearest.with(Rounding.FLOOR), UP, 1, 1, 2, 4, 4, 8, 16, 16, 32);
        assertResized(nearest.with(Rounding.FLOOR), ResizeAxis.of(0, 6, 12), 1, 1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 32);
    }

    @Test
    void placesCloseToTheMiddleCountAsIt() {
        ResizeRule nearest = ResizeRule.of(Mode.NEAREST);
        ResizeRule up = nearest.with(Rounding.ROUND_PREFER_CEIL).with(Coordinates.ASYMMETRIC);
        assertEquals(4, ResizeAxis.of(0, 7, 8).nearest(up, 4), "4 / (float) (8 / 7) is below 3.5");
        ResizeRule down = nearest.with(Coordinates.TF_HALF_PIXEL_FOR_NN);
        assertEquals(5, ResizeAxis.of(0, 11, 13).nearest(down, 6), "6.5 / (float) (13 / 11) is above 5.5");
        ResizeRule cropped = nearest.with(Coordinates.TF_CROP_AND_RESIZE);
        assertEquals(1, new ResizeAxis(0, 2, 2, 1, 0.5f + 2e-6f, 1).nearest(cropped, 0));
        int last = (1 << 23) + 1;
        ResizeAxis same = ResizeAxis.of(0, last + 1, last + 1);
        assertEquals(last, same.nearest(nearest.with(Coordinates.ASYMMETRIC), last));
    }

    @Test
    void placesOfLongAxesAreExact() {
        ResizeRule nearest = ResizeRule.of(Mode.NEAREST);
        int results = 1 << 22;
        ResizeAxis stretched = ResizeAxis.of(0, 2, results);
        assertEquals(0, stretched.nearest(nearest, results / 2 - 1));
        assertEquals(1, stretched.nearest(nearest, results / 2));
        ResizeAxis odd = ResizeAxis.of(0, 3_000_001, results - 1);
        ResizeAxis scaled = new ResizeAxis(0, 1_677_721, results - 2, 2.5, 0, 1);
        for (ResizeAxis axis : List.of(stretched, odd, scaled)) {
            for (int result = results / 2 - 500; result < results / 2 + 500; result++) {
                double place = (result + 0.5) / axis.scale() - 0.5;
                assertEquals((int) Math.ceil(place - 0.5), axis.nearest(nearest, result), axis + " at " + result);
            }
        }
    }

    @Test
    void placesThatKeepTheCenterAreRoundedOnce() {
        ResizeRule symmetric = ResizeRule.of(Mode.NEAREST).with(Coordinates.HALF_PIXEL_SYMMETRIC);
        assertEquals(0, ResizeAxis.of(0, 9, 3).nearest(symmetric.with(Rounding.FLOOR), 0));
        assertEquals(0, ResizeAxis.of(0, 3, 19).nearest(symmetric.with(Rounding.FLOOR), 9));
    }

    @Test
    void elementsBehindHalfPixelsAreFound() {
        ResizeRule rule = ResizeRule.of(Mode.NEAREST)
                .with(Coordinates.TF_HALF_PIXEL_FOR_NN)
                .with(Rounding.FLOOR);
        assertResized(rule, ResizeAxis.of(0, 6, 4), 1, 4, 8, 32);
    }

    @Test
    void infinitiesStayWhereTheyHaveWeight() {
        float inf = Float.POSITIVE_INFINITY;
        ResizeRule linear = ResizeRule.of(Mode.LINEAR).with(Coordinates.ASYMMETRIC);
        assertArrayEquals(new float[] {inf, inf, inf}, resized(linear, ResizeAxis.of(0, 1, 3), inf));
        assertArrayEquals(new float[] {1, 1.5f, 2, inf, inf, inf}, resized(linear, ResizeAxis.of(0, 3, 6), 1, 2, inf));
        float[] halved = resized(rule(Mode.LINEAR, false, true), ResizeAxis.of(0, 6, 4), 1, 2, 3, 4, 5, inf);
        assertTrue(Float.isFinite(halved[0]) && Float.isFinite(halved[1]) && Float.isFinite(halved[2]));
        assertEquals(inf, halved[3]);
    }

    @Test
    void tablesMayBeAnywhere() {
        SegmentAllocator used =
                (bytes, alignment) -> arena.allocate(bytes, alignment).fill((byte) 0x77);
        ResizePlan plan = new ResizePlan(
                ResizeRule.of(Mode.LINEAR),
                new long[] {6},
                List.of(UP),
                kernels.set().target(),
                used);
        for (ResizeStep step : plan.steps()) {
            int lanes = kernels.set().target().lanes();
            int vectors = Math.ceilDiv(UP.to(), lanes);
            for (int i = 0; i < vectors * step.taps().count() * lanes; i++) {
                long at = 2L * lanes * (i / lanes) + i % lanes;
                assertTrue(step.table().getAtIndex(ValueLayout.JAVA_INT, at) < UP.from());
            }
        }
    }

    @Test
    void elementsOfAnySizeAreResizedByTheNearest() {
        ResizeAxis axis = ResizeAxis.of(0, 40, 70);
        ResizeRule nearest = ResizeRule.of(Mode.NEAREST);
        for (int bytes : new int[] {1, 2, 3, 4, 8, 16}) {
            MemorySegment data = arena.allocate(40 * bytes);
            for (int i = 0; i < data.byteSize(); i++) {
                data.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31));
            }
            MemorySegment out = arena.allocate(70 * bytes);
            new Resize(kernels.set())
                    .run(plan(nearest, axis, 40), bytes, data, out, 0, MemorySegment.NULL, Parallel.NONE);
            for (int i = 0; i < 70; i++) {
                MemorySegment from = data.asSlice(axis.nearest(nearest, i) * bytes, bytes);
                assertEquals(-1, out.asSlice(i * bytes, bytes).mismatch(from), bytes + " bytes");
            }
        }
    }

    @Test
    void pixelsOfBytesAreResizedByTheNearestInManyBands() {
        int size = 300;
        MemorySegment data = arena.allocate(size * size * 4L);
        for (long i = 0; i < data.byteSize(); i++) {
            data.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 / 7));
        }
        MemorySegment out = arena.allocate(2L * size * (size - 1) * 4);
        ResizePlan plan = new ResizePlan(
                ResizeRule.of(Mode.NEAREST).with(Coordinates.ASYMMETRIC).with(Rounding.FLOOR),
                new long[] {size, size, 4},
                List.of(ResizeAxis.of(0, size, 2 * size), ResizeAxis.of(1, size, size - 1)),
                kernels.set().target(),
                arena);
        Resize resize = new Resize(kernels.set());
        MemorySegment scratch = arena.allocate(resize.scratchBytes(plan, 1, 1));
        resize.run(plan, 1, data, out, 0, scratch, Parallel.NONE);
        for (int row = 0; row < 2 * size; row++) {
            for (int column = 0; column < size - 1; column++) {
                long from = (row / 2L * size + (long) (column * (double) size / (size - 1))) * 4;
                long to = ((long) row * (size - 1) + column) * 4;
                assertEquals(data.get(ValueLayout.JAVA_INT, from), out.get(ValueLayout.JAVA_INT, to));
            }
        }
    }

    @Test
    void whatDoesNotFitIsRefused() {
        MemorySegment data = arena.allocate(24);
        ResizePlan plan = plan(ResizeRule.of(Mode.LINEAR), UP, 6);
        Resize resize = new Resize(kernels.set());
        assertThrows(
                IndexOutOfBoundsException.class,
                () -> resize.run(plan, 4, data, arena.allocate(35), 0, MemorySegment.NULL, Parallel.NONE));
        assertThrows(
                IllegalArgumentException.class,
                () -> resize.run(plan, 2, data, arena.allocate(36), 0, MemorySegment.NULL, Parallel.NONE));
        ResizePlan cropped = new ResizePlan(
                ResizeRule.of(Mode.NEAREST).with(Coordinates.TF_CROP_AND_RESIZE),
                new long[] {6},
                List.of(UP),
                kernels.set().target(),
                arena);
        assertThrows(
                IllegalArgumentException.class,
                () -> resize.run(cropped, 2, data, arena.allocate(36), 0, MemorySegment.NULL, Parallel.NONE));
        ResizeRule linear = ResizeRule.of(Mode.LINEAR);
        assertThrows(IllegalArgumentException.class, () -> plan(linear, UP, 5));
        assertThrows(IllegalArgumentException.class, () -> plan(linear, UP, 6, -1, -1));
        ResizeAxis tiny = new ResizeAxis(0, 6, 3, 1e-30f, 0, 1);
        assertThrows(IllegalArgumentException.class, () -> plan(rule(Mode.CUBIC, false, true), tiny, 6));
        assertThrows(IllegalArgumentException.class, () -> new ResizeAxis(0, 6, 3, Float.POSITIVE_INFINITY, 0, 1));
    }

    @Test
    void scratchIsApart() {
        ResizePlan plan = new ResizePlan(
                ResizeRule.of(Mode.LINEAR),
                new long[] {6, 6},
                List.of(UP, ResizeAxis.of(1, 6, 9)),
                kernels.set().target(),
                arena);
        Resize resize = new Resize(kernels.set());
        MemorySegment data = arena.allocate(Math.max(144, resize.scratchBytes(plan, 4, 1)));
        MemorySegment out = arena.allocate(Math.max(324, data.byteSize()));
        assertThrows(IllegalArgumentException.class, () -> resize.run(plan, 4, data, out, 0, data, Parallel.NONE));
        assertThrows(IllegalArgumentException.class, () -> resize.run(plan, 4, data, out, 0, out, Parallel.NONE));
    }
}
