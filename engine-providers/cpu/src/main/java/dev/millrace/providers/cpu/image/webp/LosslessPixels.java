package dev.millrace.providers.cpu.image.webp;

/** The decoder of stored pixels: literal ones, copies of earlier ones (LZ77), and indices of a colour cache. */
final class LosslessPixels {
    private static final int LITERALS = 256;
    private static final int LENGTHS = 24;
    private static final int DISTANCES = 40;
    private static final int NEAR = 120;
    private static final int GROUP = 5;
    private static final int BETWEEN_CHECKS = 1 << 14;

    /**
     * The places of the nearest pixels, in the order of their distance codes: rows up in the high digit, eight less
     * columns left in the low.
     */
    private static final String PLACES =
            "1807171928062729161a262a38053739151b363a252b48044749141c353b464a242c58454b343c03"
                    + "5759131d565a232d444c555b333d68026769121e666a222e545c434d656b323e78017779535d111f"
                    + "646c424e767a212f757b313f636d525e00747c414f1020626e30737d515f40727e616f50717f6070";

    private final LosslessBits in;
    private final int width;
    private final int[] pixels;
    private final int cacheBits;
    private final int[] cache;
    private final PrefixCode[] codes;
    private int groupBits;
    private int groupsPerRow;
    private int[] groups = {};

    /** Reads the prefix codes of an image, with groups of codes only for the image itself. */
    LosslessPixels(LosslessBits in, int width, int height, boolean main) {
        this.in = in;
        this.width = width;
        boolean cached = in.flag();
        cacheBits = cached ? in.read(4) : 0;
        if (cacheBits > 11 || (cached && cacheBits == 0)) {
            throw new IllegalArgumentException("a cache of 2^" + cacheBits + " colours; possible are 2^1 to 2^11");
        }
        cache = new int[cacheBits == 0 ? 0 : 1 << cacheBits];
        int count = 1;
        if (main && in.flag()) {
            groupBits = in.read(3) + 2;
            groupsPerRow = parts(width, groupBits);
            groups = new LosslessPixels(in, groupsPerRow, parts(height, groupBits), false).read();
            for (int i = 0; i < groups.length; i++) {
                groups[i] = groups[i] >> 8 & 0xffff;
                count = Math.max(count, groups[i] + 1);
            }
        }
        codes = new PrefixCode[count * GROUP];
        for (int i = 0; i < codes.length; i++) {
            in.check();
            int symbols = i % GROUP == 0 ? LITERALS + LENGTHS + cache.length : i % GROUP == 4 ? DISTANCES : LITERALS;
            codes[i] = PrefixCode.read(in, symbols);
        }
        pixels = new int[width * height];
    }

    /** The number of parts of {@code 1 << bits} pixels that cover an extent. */
    static int parts(int extent, int bits) {
        return (extent + (1 << bits) - 1) >> bits;
    }

    int[] read() {
        int at = 0;
        int next = 0;
        while (at < pixels.length) {
            if (at >= next) {
                in.check();
                next = at + BETWEEN_CHECKS;
            }
            int group = groups.length == 0
                    ? 0
                    : GROUP * groups[((at / width) >> groupBits) * groupsPerRow + (at % width >> groupBits)];
            int symbol = codes[group].read(in);
            if (symbol < LITERALS) {
                int red = codes[group + 1].read(in);
                int blue = codes[group + 2].read(in);
                int alpha = codes[group + 3].read(in);
                set(at++, alpha << 24 | red << 16 | symbol << 8 | blue);
            } else if (symbol < LITERALS + LENGTHS) {
                int length = prefixed(symbol - LITERALS);
                int distance = distance(prefixed(codes[group + 4].read(in)));
                if (distance > at || length > pixels.length - at) {
                    throw new IllegalArgumentException("pixel " + at + " of " + pixels.length + " repeats " + length
                            + " pixels from " + distance + " before it");
                }
                for (int i = 0; i < length; i++, at++) {
                    set(at, pixels[at - distance]);
                }
            } else {
                set(at++, cache[symbol - LITERALS - LENGTHS]);
            }
        }
        return pixels;
    }

    private void set(int at, int colour) {
        pixels[at] = colour;
        if (cacheBits > 0) {
            cache[(0x1e35a7bd * colour) >>> (Integer.SIZE - cacheBits)] = colour;
        }
    }

    /** Reads a length or distance: given by its symbol alone, or by a range whose offset follows. */
    private int prefixed(int symbol) {
        if (symbol < 4) {
            return symbol + 1;
        }
        int bits = (symbol - 2) >> 1;
        return ((2 + (symbol & 1)) << bits) + in.read(bits) + 1;
    }

    private int distance(int code) {
        if (code > NEAR) {
            return code - NEAR;
        }
        int rows = Character.digit(PLACES.charAt(2 * code - 2), 16);
        int columns = 8 - Character.digit(PLACES.charAt(2 * code - 1), 16);
        return Math.max(1, rows * width + columns);
    }
}
