package dev.millrace.pipelines.image;

import java.util.Arrays;

/** Ways to compute the pixels of an image in another size, named after the libraries that models were trained with. */
public enum Resampling {
    /** The pixel that is nearest to the middle, as {@code NEAREST} of PIL. */
    PIL_NEAREST(0, false) {
        @Override
        double weight(double distance) {
            return distance >= -0.5 && distance < 0.5 ? 1 : 0;
        }
    },
    /** Bilinear interpolation of four pixels, as {@code INTER_LINEAR} of OpenCV. Pixels between are skipped. */
    OPENCV_LINEAR(1, false) {
        @Override
        double weight(double distance) {
            return Math.max(0, 1 - Math.abs(distance));
        }
    },
    /** Bilinear interpolation, over all pixels where an image becomes smaller, as {@code BILINEAR} of PIL. */
    PIL_BILINEAR(1, true) {
        @Override
        double weight(double distance) {
            return Math.max(0, 1 - Math.abs(distance));
        }
    },
    /** Cubic interpolation, over all pixels where an image becomes smaller, as {@code BICUBIC} of PIL. */
    PIL_BICUBIC(2, true) {
        @Override
        double weight(double distance) {
            double far = Math.abs(distance);
            if (far < 1) {
                return ((SHARPNESS + 2) * far - (SHARPNESS + 3)) * far * far + 1;
            }
            return far < 2 ? SHARPNESS * (((far - 5) * far + 8) * far - 4) : 0;
        }
    };

    /** The parameter of the cubic kernel (Keys 1981). */
    private static final double SHARPNESS = -0.5;

    private static final int CHANNELS = 3;
    private static final double MOST = 255;

    /** How far from the middle of a pixel its neighbours count, in pixels. */
    private final double reach;
    /** Whether all pixels count where an image becomes smaller. */
    private final boolean antialiases;

    Resampling(double reach, boolean antialiases) {
        this.reach = reach;
        this.antialiases = antialiases;
    }

    /** The weight of a pixel at a distance from the middle. */
    abstract double weight(double distance);

    /**
     * The pixels along one axis that a pixel of the result is made of.
     *
     * @param first the first pixel
     * @param weights the weights of the pixels from the first one on, whose sum is 1
     */
    private record Taps(int first, double[] weights) {}

    /**
     * A rectangle of an image that has another size.
     *
     * @param wholeWidth the width of the image that the rectangle is part of
     * @param wholeHeight the height of the image that the rectangle is part of
     */
    record Part(int wholeWidth, int wholeHeight, int left, int top, int width, int height) {}

    /**
     * Returns the bytes of a part of an image in another size. Each row of the image that counts is read once, and is kept only while rows
     * of the result need it.
     */
    byte[] resize(RgbImage image, Part part) {
        Taps[] across = taps(image.width(), part.wholeWidth(), part.left(), part.width());
        Taps[] down = taps(image.height(), part.wholeHeight(), part.top(), part.height());
        int line = part.width() * CHANNELS;
        double[][] rows = new double[longest(down)][line];
        byte[] made = new byte[part.height() * line];
        int next = 0;
        for (int y = 0; y < part.height(); y++) {
            int first = down[y].first();
            double[] weights = down[y].weights();
            for (next = Math.max(next, first); next < first + weights.length; next++) {
                readRow(image, next, across, rows[next % rows.length]);
            }
            for (int x = 0; x < line; x++) {
                double sum = 0;
                for (int i = 0; i < weights.length; i++) {
                    sum += weights[i] * rows[(first + i) % rows.length][x];
                }
                made[y * line + x] = (byte) rounded(sum);
            }
        }
        return made;
    }

    private void readRow(RgbImage image, int y, Taps[] across, double[] row) {
        for (int x = 0; x < across.length; x++) {
            Taps taps = across[x];
            for (int channel = 0; channel < CHANNELS; channel++) {
                double sum = 0;
                for (int i = 0; i < taps.weights().length; i++) {
                    sum += taps.weights()[i] * image.value(taps.first() + i, y, channel);
                }
                row[x * CHANNELS + channel] = antialiases ? rounded(sum) : sum;
            }
        }
    }

    private static int longest(Taps[] taps) {
        return Arrays.stream(taps).mapToInt(each -> each.weights().length).max().orElseThrow();
    }

    private static double rounded(double value) {
        return Math.floor(Math.clamp(value, 0, MOST) + 0.5);
    }

    /** Returns the taps of {@code count} pixels of the result from {@code start} on. */
    private Taps[] taps(int from, int to, int start, int count) {
        double scale = (double) from / to;
        var taps = new Taps[count];
        for (int i = 0; i < count; i++) {
            double centre = (start + i + 0.5) * scale;
            if (reach == 0) {
                taps[i] = new Taps(Math.min((int) centre, from - 1), new double[] {1});
            } else {
                taps[i] = antialiases ? inside(centre, Math.max(scale, 1), from) : atEdges(centre - 0.5, from);
            }
        }
        return taps;
    }

    /** Pixels whose middle is near enough; those outside of the image do not count. */
    private Taps inside(double centre, double stretch, int from) {
        int first = Math.max(0, (int) (centre - reach * stretch + 0.5));
        int end = Math.min(from, (int) (centre + reach * stretch + 0.5));
        double[] weights = new double[Math.max(1, end - first)];
        double sum = 0;
        for (int i = 0; i < weights.length; i++) {
            weights[i] = weight((first + i + 0.5 - centre) / stretch);
            sum += weights[i];
        }
        for (int i = 0; i < weights.length; i++) {
            weights[i] = sum == 0 ? 1.0 / weights.length : weights[i] / sum;
        }
        return new Taps(first, weights);
    }

    /** Two pixels; outside of the image, those at its edge count. */
    private static Taps atEdges(double centre, int from) {
        int first = (int) Math.floor(centre);
        if (first < 0) {
            return new Taps(0, new double[] {1});
        }
        if (first >= from - 1) {
            return new Taps(from - 1, new double[] {1});
        }
        return new Taps(first, new double[] {1 - (centre - first), centre - first});
    }
}
