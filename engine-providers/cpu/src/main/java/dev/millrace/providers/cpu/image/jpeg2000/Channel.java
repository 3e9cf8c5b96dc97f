package dev.millrace.providers.cpu.image.jpeg2000;

/** A channel of an image, with a sample of 8 bits for each pixel. */
final class Channel {
    private final int[] samples;
    private final Area area;
    private final Area image;
    private final int dx;
    private final int dy;
    /** The offset that makes signed samples non-negative. */
    private final int zero;

    private final int[] bytesOfValues;

    /**
     * Creates a channel of a component's samples, each of which covers the pixels up to the next one; {@code bytes}
     * maps samples to 8 bits.
     */
    private Channel(Codestream.Image decoded, int component, int[] bytes) {
        Size size = decoded.size();
        Size.Component one = size.components().get(component);
        samples = decoded.planes()[component];
        area = size.samples(component);
        image = size.image();
        dx = one.dx();
        dy = one.dy();
        zero = one.signed() ? 1 << (one.depth() - 1) : 0;
        bytesOfValues = bytes;
        if (area.isEmpty()) {
            throw new IllegalArgumentException("component " + component + " has no samples");
        }
    }

    /** Returns the components as channels, without a palette. */
    static Channel[] all(Codestream.Image decoded) {
        var channels = new Channel[decoded.planes().length];
        for (int i = 0; i < channels.length; i++) {
            Size.Component one = decoded.size().components().get(i);
            channels[i] = new Channel(decoded, i, scale(one.depth()));
        }
        return channels;
    }

    /** Returns a channel whose samples are indices of a table. */
    static Channel mapped(Codestream.Image decoded, int component, int[] table) {
        int entries = 1 << decoded.size().components().get(component).depth();
        int[] bytes = new int[entries];
        for (int i = 0; i < entries; i++) {
            bytes[i] = table[Math.min(i, table.length - 1)];
        }
        return new Channel(decoded, component, bytes);
    }

    /**
     * Returns a table that converts numbers of {@code depth} bits to eight bits: the most significant bits, rounded, or
     * stretched where there are fewer.
     */
    static int[] scale(int depth) {
        int[] bytes = new int[1 << depth];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = depth < 8
                    ? (i * 255 + (bytes.length - 1) / 2) / (bytes.length - 1)
                    : Math.min(255, (i + (1 << depth >> 9)) >> (depth - 8));
        }
        return bytes;
    }

    /** Whether samples are subsampled more coarsely than another channel's, as those of chroma are. */
    boolean isCoarserThan(Channel other) {
        return dx > other.dx || dy > other.dy;
    }

    int at(int x, int y) {
        int column = Math.clamp((image.x0() + x) / dx - area.x0(), 0, area.width() - 1);
        int row = Math.clamp((image.y0() + y) / dy - area.y0(), 0, area.height() - 1);
        return bytesOfValues[samples[row * area.width() + column] + zero];
    }
}
