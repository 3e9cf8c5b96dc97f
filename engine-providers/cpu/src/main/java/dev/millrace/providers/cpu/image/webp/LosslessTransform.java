package dev.millrace.providers.cpu.image.webp;

/** A transform of the pixels of a lossless image before they were stored. */
sealed interface LosslessTransform {
    /** The width of the stored image. */
    int packedWidth();

    /** The number of pixels between two calls of a check. */
    int CHECKED = 1 << 16;

    /**
     * Returns the pixels before the transform. The given pixels may be overwritten.
     *
     * @param check throws where the run is cancelled
     */
    int[] undo(int[] pixels, int height, Runnable check);

    static LosslessTransform read(int kind, LosslessBits in, int width, int height) {
        if (kind == 2) {
            return new GreenTaken(width);
        }
        if (kind == 3) {
            return Palette.read(in, width);
        }
        int bits = in.read(3) + 2;
        int perRow = LosslessPixels.parts(width, bits);
        int[] tiles = new LosslessPixels(in, perRow, LosslessPixels.parts(height, bits), false).read();
        var grid = new Tiles(width, bits, perRow, tiles);
        return kind == 0 ? new Predicted(grid) : new ColoursTaken(grid);
    }

    /** A number for each square of the image. */
    record Tiles(int width, int bits, int perRow, int[] values) {
        int at(int x, int y) {
            return values[(y >> bits) * perRow + (x >> bits)];
        }
    }

    /** Prediction: each pixel is stored as its difference from a prediction. */
    record Predicted(Tiles tiles) implements LosslessTransform {
        @Override
        public int packedWidth() {
            return tiles.width;
        }

        @Override
        public int[] undo(int[] pixels, int height, Runnable check) {
            int width = tiles.width;
            pixels[0] = PixelPredictor.add(pixels[0], PixelPredictor.BLACK);
            for (int x = 1; x < width; x++) {
                pixels[x] = PixelPredictor.add(pixels[x], pixels[x - 1]);
            }
            for (int y = 1; y < height; y++) {
                check.run();
                int row = y * width;
                pixels[row] = PixelPredictor.add(pixels[row], pixels[row - width]);
                for (int x = 1; x < width; x++) {
                    int mode = tiles.at(x, y) >> 8 & 15;
                    int predicted = PixelPredictor.predict(mode, pixels, row + x, width);
                    pixels[row + x] = PixelPredictor.add(pixels[row + x], predicted);
                }
            }
            return pixels;
        }
    }

    /** Colour decorrelation: multiples of green and red were subtracted from the other colours. */
    record ColoursTaken(Tiles tiles) implements LosslessTransform {
        @Override
        public int packedWidth() {
            return tiles.width;
        }

        @Override
        public int[] undo(int[] pixels, int height, Runnable check) {
            for (int i = 0; i < pixels.length; i++) {
                if (i % CHECKED == 0) {
                    check.run();
                }
                int share = tiles.at(i % tiles.width, i / tiles.width);
                byte green = (byte) (pixels[i] >> 8);
                int red = (pixels[i] >> 16) + (((byte) share * green) >> 5) & 255;
                int blue = pixels[i] + (((byte) (share >> 8) * green) >> 5) + (((byte) (share >> 16) * (byte) red) >> 5)
                        & 255;
                pixels[i] = (pixels[i] & 0xff00ff00) | red << 16 | blue;
            }
            return pixels;
        }
    }

    /** Green subtraction: green was subtracted from red and blue. */
    record GreenTaken(int packedWidth) implements LosslessTransform {
        @Override
        public int[] undo(int[] pixels, int height, Runnable check) {
            for (int i = 0; i < pixels.length; i++) {
                if (i % CHECKED == 0) {
                    check.run();
                }
                int green = pixels[i] >> 8 & 255;
                int red = (pixels[i] >> 16) + green & 255;
                int blue = pixels[i] + green & 255;
                pixels[i] = (pixels[i] & 0xff00ff00) | red << 16 | blue;
            }
            return pixels;
        }
    }

    /** Palette: the green of a pixel is the index of its colour, or holds the indices of several pixels. */
    record Palette(int width, int bits, int[] colours) implements LosslessTransform {
        static Palette read(LosslessBits in, int width) {
            int count = in.read(8) + 1;
            int bits = count > 16 ? 0 : count > 4 ? 1 : count > 2 ? 2 : 3;
            int[] stored = new LosslessPixels(in, count, 1, false).read();
            int[] colours = new int[256];
            colours[0] = stored[0];
            for (int i = 1; i < count; i++) {
                colours[i] = PixelPredictor.add(stored[i], colours[i - 1]);
            }
            return new Palette(width, bits, colours);
        }

        @Override
        public int packedWidth() {
            return LosslessPixels.parts(width, bits);
        }

        @Override
        public int[] undo(int[] pixels, int height, Runnable check) {
            int[] unpacked = new int[width * height];
            int depth = 8 >> bits;
            int packedWidth = packedWidth();
            for (int i = 0; i < unpacked.length; i++) {
                if (i % CHECKED == 0) {
                    check.run();
                }
                int x = i % width;
                int packed = pixels[i / width * packedWidth + (x >> bits)] >> 8 & 255;
                int place = packed >> ((x & (1 << bits) - 1) * depth) & (1 << depth) - 1;
                unpacked[i] = colours[place];
            }
            return unpacked;
        }
    }
}
