package dev.millrace.providers.cpu.image.webp;

/**
 * How strongly the edges of a macroblock are smoothed.
 *
 * @param limit how far pixels at an edge inside the macroblock may differ; 0 where nothing is smoothed
 * @param inner how far neighbours may differ on each side of an edge
 * @param variance from which difference on an edge counts as the image's own
 */
record FilterStrength(int limit, int inner, int variance) {
    static FilterStrength of(int level, int sharpness) {
        int clipped = Math.clamp(level, 0, 63);
        if (clipped == 0) {
            return new FilterStrength(0, 0, 0);
        }
        int inner = clipped;
        if (sharpness > 0) {
            inner = Math.min(inner >> (sharpness > 4 ? 2 : 1), 9 - sharpness);
        }
        inner = Math.max(inner, 1);
        return new FilterStrength(2 * clipped + inner, inner, clipped >= 40 ? 2 : clipped >= 15 ? 1 : 0);
    }
}
