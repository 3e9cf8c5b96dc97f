package dev.millrace.bench.agree;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.SplittableRandom;

/** Pictures in which detectors find something: lines of dark letters in a frame, on light ground with a little noise. */
final class Pictures {
    private static final int MARGIN = 6;
    private static final int DOT = 2;
    private static final int TALL = 7;
    private static final int WIDE = 5;
    private static final float INK = 0.1f;
    private static final int MOST_CHANNELS = 4;

    private Pictures() {}

    /** Grey pictures: from 0 to 255 where channels come last, from -2 to 2.4 where they come first. */
    static Tensor of(Shape shape, long seed) {
        boolean last = shape.dim(3) <= MOST_CHANNELS;
        int channels = (int) shape.dim(last ? 3 : 1);
        float[][] grey = grey((int) shape.dim(last ? 1 : 2), (int) shape.dim(last ? 2 : 3), new SplittableRandom(seed));
        float[] pixels = new float[Math.toIntExact(shape.elements())];
        for (int i = 0; i < pixels.length; i++) {
            int at = last ? i / channels : i;
            float value = grey[at / grey[0].length % grey.length][at % grey[0].length];
            pixels[i] = last ? 255 * value : 4.4f * value - 2;
        }
        return Tensor.copyOf(pixels, shape.toArray());
    }

    private static float[][] grey(int height, int width, SplittableRandom random) {
        float[][] grey = new float[height][width];
        for (float[] row : grey) {
            for (int x = 0; x < width; x++) {
                row[x] = (float) random.nextDouble(0.9, 0.95);
            }
        }
        for (int top = MARGIN; top + TALL * DOT <= height; top += 2 * TALL * DOT) {
            for (int left = MARGIN; left + WIDE * DOT <= width - MARGIN; left += (WIDE + 1) * DOT) {
                glyph(grey, top, left, random);
            }
        }
        frame(grey, random.nextInt(MARGIN));
        return grey;
    }

    private static void glyph(float[][] grey, int top, int left, SplittableRandom random) {
        for (int dot = 0; dot < WIDE * TALL; dot++) {
            boolean ink = random.nextBoolean();
            for (int y = 0; ink && y < DOT; y++) {
                for (int x = 0; x < DOT; x++) {
                    grey[top + dot / WIDE * DOT + y][left + dot % WIDE * DOT + x] *= INK;
                }
            }
        }
    }

    private static void frame(float[][] grey, int inset) {
        int height = grey.length;
        int width = grey[0].length;
        for (int x = inset; x < width - inset; x++) {
            grey[inset][x] *= INK;
            grey[height - 1 - inset][x] *= INK;
        }
        for (int y = inset; y < height - inset; y++) {
            grey[y][inset] *= INK;
            grey[y][width - 1 - inset] *= INK;
        }
    }
}
