package dev.millrace.providers.cpu.image.webp;

/** The header of a key frame: the part of the first partition before its macroblocks. */
final class FrameHeader {
    static final int SEGMENTS = 4;

    final Segment[] segments = new Segment[SEGMENTS];
    /** Whether each macroblock names the segment that it belongs to. */
    final boolean segmentMap;

    final boolean simpleFilter;
    final int partitions;
    final byte[] coefficients;
    /** The probability that a macroblock has coefficients, or -1 where all have. */
    final int skipProbability;

    private final int[] segmentProbabilities = {255, 255, 255};

    /** A segment of the image: the scales of its coefficients, and the strength of its loop filter. */
    record Segment(Quantizer quantizer, FilterStrength whole, FilterStrength parted) {}

    FrameHeader(BooleanDecoder in) {
        in.number(2);
        boolean segmented = in.flag();
        segmentMap = segmented && in.flag();
        boolean absolute = true;
        int[] quantizers = new int[SEGMENTS];
        int[] levels = new int[SEGMENTS];
        if (segmented && in.flag()) {
            absolute = in.flag();
            for (int i = 0; i < SEGMENTS; i++) {
                quantizers[i] = in.optional(7);
            }
            for (int i = 0; i < SEGMENTS; i++) {
                levels[i] = in.optional(6);
            }
        }
        for (int i = 0; segmentMap && i < 3; i++) {
            segmentProbabilities[i] = in.flag() ? in.number(8) : 255;
        }
        simpleFilter = in.flag();
        int level = in.number(6);
        int sharpness = in.number(3);
        int[] changes = filterChanges(in);
        partitions = 1 << in.number(2);
        int base = in.number(7);
        int[] steps = new int[5];
        for (int i = 0; i < steps.length; i++) {
            steps[i] = in.optional(4);
        }
        for (int i = 0; i < SEGMENTS; i++) {
            int quantizer = segmented ? quantizers[i] + (absolute ? 0 : base) : base;
            int own = level == 0 ? 0 : segmented ? levels[i] + (absolute ? 0 : level) : level;
            int shifted = level == 0 ? 0 : own + changes[0];
            segments[i] = new Segment(
                    new Quantizer(quantizer, steps),
                    FilterStrength.of(shifted, sharpness),
                    FilterStrength.of(level == 0 ? 0 : shifted + changes[1], sharpness));
        }
        in.flag();
        coefficients = Probabilities.coefficients(in);
        skipProbability = in.flag() ? in.number(8) : -1;
    }

    /** Reads the changes of the filter's level for key frames, and for macroblocks that are predicted in parts. */
    private static int[] filterChanges(BooleanDecoder in) {
        int[] changes = new int[2];
        boolean used = in.flag();
        if (used && in.flag()) {
            for (int i = 0; i < 8; i++) {
                int change = in.optional(6);
                if (i % 4 == 0) {
                    changes[i / 4] = change;
                }
            }
        }
        return changes;
    }

    int segment(BooleanDecoder in) {
        if (!segmentMap) {
            return 0;
        }
        return in.bit(segmentProbabilities[0]) == 0
                ? in.bit(segmentProbabilities[1])
                : 2 + in.bit(segmentProbabilities[2]);
    }

    boolean skipped(BooleanDecoder in) {
        return skipProbability >= 0 && in.bit(skipProbability) == 1;
    }
}
