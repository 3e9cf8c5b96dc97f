package dev.millrace.providers.cpu.image.webp;

import java.util.Arrays;

/** A plane of samples of 8 bits with what lies above (127) and left of it (129) for predictions. */
final class Samples {
    final int stride;
    final byte[] data;

    Samples(int width, int height) {
        stride = width + 1;
        data = new byte[Math.multiplyExact(stride, height + 1)];
        Arrays.fill(data, 0, stride, (byte) 127);
        for (int y = 1; y <= height; y++) {
            data[y * stride] = (byte) 129;
        }
    }

    int index(int x, int y) {
        return (y + 1) * stride + x + 1;
    }

    int get(int x, int y) {
        return data[index(x, y)] & 255;
    }

    /** Sets a sample to the value that is nearest in range. */
    void set(int x, int y, int value) {
        data[index(x, y)] = (byte) clip(value);
    }

    static int clip(int value) {
        return Math.clamp(value, 0, 255);
    }
}
