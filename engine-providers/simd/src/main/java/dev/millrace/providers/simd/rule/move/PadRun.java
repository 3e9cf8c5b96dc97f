package dev.millrace.providers.simd.rule.move;

import java.util.ArrayList;
import java.util.List;

/**
 * Elements of one axis of a padded value that come from elements at even distances, or all from nowhere.
 *
 * @param at the first of them
 * @param source where the first one comes from; negative where they are filled
 * @param step from each source to the next one: 1, -1, or 0 where one element is repeated
 */
record PadRun(long at, long count, long source, long step) {
    private static final long NONE = -1;

    boolean isFilled() {
        return source < 0;
    }

    /**
     * The runs of an axis.
     *
     * @param mode as ONNX names it
     * @param extent elements before padding
     * @param length elements after padding
     * @param begin elements that come before the first one; negative where the first ones are cut off
     */
    static List<PadRun> of(String mode, long extent, long length, long begin) {
        var runs = new ArrayList<PadRun>();
        long at = 0;
        while (at < length) {
            long source = source(mode, at - begin, extent);
            long end = at + 1;
            long step = end < length ? step(source, source(mode, end - begin, extent)) : 1;
            while (end < length && follows(source(mode, end - begin, extent), source, step, end - at)) {
                end++;
            }
            runs.add(new PadRun(at, end - at, source, end - at == 1 ? 1 : step));
            at = end;
        }
        return runs;
    }

    private static long step(long source, long next) {
        return source == NONE || next == NONE ? 0 : next - source;
    }

    private static boolean follows(long next, long first, long step, long distance) {
        boolean isAlike = (next == NONE) == (first == NONE);
        return isAlike && Math.abs(step) <= 1 && next == first + step * distance;
    }

    private static long source(String mode, long at, long extent) {
        return switch (mode) {
            case "edge" -> Math.clamp(at, 0, extent - 1);
            case "reflect" -> reflected(at, extent);
            case "wrap" -> Math.floorMod(at, extent);
            default -> at < 0 || at >= extent ? NONE : at;
        };
    }

    private static long reflected(long at, long extent) {
        if (extent == 1) {
            return 0;
        }
        long folded = Math.floorMod(at, 2 * (extent - 1));
        return folded < extent ? folded : 2 * (extent - 1) - folded;
    }
}
