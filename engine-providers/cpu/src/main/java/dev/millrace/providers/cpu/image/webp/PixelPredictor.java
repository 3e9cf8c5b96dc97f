package dev.millrace.providers.cpu.image.webp;

/** Predicts pixels of four colours by their neighbours; all is done for each colour alone. */
final class PixelPredictor {
    static final int BLACK = 0xff000000;

    private PixelPredictor() {}

    static int add(int a, int b) {
        return ((a & 0xff00ff00) + (b & 0xff00ff00) & 0xff00ff00) | ((a & 0x00ff00ff) + (b & 0x00ff00ff) & 0x00ff00ff);
    }

    static int predict(int mode, int[] pixels, int at, int width) {
        int left = pixels[at - 1];
        int top = pixels[at - width];
        int corner = pixels[at - width - 1];
        int right = pixels[at - width + 1];
        return switch (mode) {
            case 1 -> left;
            case 2 -> top;
            case 3 -> right;
            case 4 -> corner;
            case 5 -> mean(mean(left, right), top);
            case 6 -> mean(left, corner);
            case 7 -> mean(left, top);
            case 8 -> mean(corner, top);
            case 9 -> mean(top, right);
            case 10 -> mean(mean(left, corner), mean(top, right));
            case 11 -> nearer(left, top, corner);
            case 12 -> continued(left, top, corner);
            case 13 -> halfway(mean(left, top), corner);
            default -> BLACK;
        };
    }

    /** Rounded down. */
    private static int mean(int a, int b) {
        return (((a ^ b) & 0xfefefefe) >>> 1) + (a & b);
    }

    /** Which of two pixels is nearer to left plus top less corner; the one above where they are equally near. */
    private static int nearer(int left, int top, int corner) {
        int toLeft = 0;
        int toTop = 0;
        for (int shift = 0; shift < 32; shift += 8) {
            toLeft += Math.abs(part(top, shift) - part(corner, shift));
            toTop += Math.abs(part(left, shift) - part(corner, shift));
        }
        return toLeft < toTop ? left : top;
    }

    private static int continued(int left, int top, int corner) {
        int pixel = 0;
        for (int shift = 0; shift < 32; shift += 8) {
            pixel |= Samples.clip(part(left, shift) + part(top, shift) - part(corner, shift)) << shift;
        }
        return pixel;
    }

    private static int halfway(int mean, int corner) {
        int pixel = 0;
        for (int shift = 0; shift < 32; shift += 8) {
            int from = part(mean, shift);
            pixel |= Samples.clip(from + (from - part(corner, shift)) / 2) << shift;
        }
        return pixel;
    }

    private static int part(int pixel, int shift) {
        return pixel >>> shift & 255;
    }
}
