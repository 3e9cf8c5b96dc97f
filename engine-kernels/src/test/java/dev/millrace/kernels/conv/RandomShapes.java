package dev.millrace.kernels.conv;

import dev.millrace.kernels.image.Axis;
import java.util.Random;

/** Random shapes of windows and convolutions, with unusual ones more often than in models. */
public final class RandomShapes {
    private RandomShapes() {}

    public static Axis axis(Random random, int most, int mostTaps) {
        int taps = random.nextInt(3) == 0 ? 1 : 1 + random.nextInt(mostTaps);
        int stride = 1 + random.nextInt(random.nextInt(3) == 0 ? 4 : 2);
        int dilation = taps == 1 || random.nextInt(3) > 0 ? 1 : 1 + random.nextInt(3);
        int span = (taps - 1) * dilation + 1;
        int before = random.nextInt(3) == 0 ? 0 : random.nextInt(span + 1);
        int after = random.nextInt(3) == 0 ? before : random.nextInt(span + 1);
        int in = Math.max(1 + random.nextInt(most), span - before - after);
        return Axis.of(in, taps, stride, dilation, before, after);
    }

    public static ConvShape conv(Random random, int lanes, boolean small) {
        int most = small ? 7 : 20;
        boolean pointwise = random.nextInt(4) == 0;
        Axis depth = random.nextInt(6) == 0 ? axis(random, 4, 3) : Axis.pointwise(1);
        Axis height = pointwise ? Axis.pointwise(1 + random.nextInt(most)) : axis(random, most, 4);
        Axis width = pointwise
                ? Axis.pointwise(1 + random.nextInt(3 * most))
                : axis(random, 2 * most, random.nextInt(8) == 0 ? 19 : 5);
        int groups = random.nextInt(4) > 0 ? 1 : 1 + random.nextInt(4);
        int channels = groups * channels(random, lanes, small);
        int outChannels = groups * channels(random, lanes, small);
        return new ConvShape(1 + random.nextInt(2), channels, outChannels, groups, depth, height, width);
    }

    /** Returns a shape with 3×3 taps, the most frequent ones in models. */
    static ConvShape ofThreeTaps(Random random, int lanes, boolean small) {
        int most = small ? 8 : 30;
        Axis height = Axis.of(2 + random.nextInt(most), 3, 1, 1, random.nextInt(2), 1 + random.nextInt(2));
        Axis width = Axis.of(2 + random.nextInt(most), 3, 1, 1, random.nextInt(3), 1);
        int channels = lanes * (1 + random.nextInt(small ? 2 : 5));
        return ConvShape.flat(1 + random.nextInt(4), channels, channels(random, lanes, small), height, width);
    }

    private static int channels(Random random, int lanes, boolean small) {
        return switch (random.nextInt(4)) {
            case 0 -> 1 + random.nextInt(4);
            case 1 -> lanes;
            default -> 1 + random.nextInt(small ? lanes + 3 : 5 * lanes);
        };
    }
}
