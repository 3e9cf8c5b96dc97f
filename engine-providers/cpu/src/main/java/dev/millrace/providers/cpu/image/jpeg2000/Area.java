package dev.millrace.providers.cpu.image.jpeg2000;

/** A rectangle of samples; what is at {@code x1} or {@code y1} is outside. */
record Area(int x0, int y0, int x1, int y1) {
    int width() {
        return Math.max(0, x1 - x0);
    }

    int height() {
        return Math.max(0, y1 - y0);
    }

    boolean isEmpty() {
        return width() == 0 || height() == 0;
    }

    /** The samples whose places are whole multiples, counted by those. */
    Area every(int dx, int dy) {
        return new Area(Math.ceilDiv(x0, dx), Math.ceilDiv(y0, dy), Math.ceilDiv(x1, dx), Math.ceilDiv(y1, dy));
    }

    /** After so many halvings, of which the last one took what was at odd places where asked. */
    Area halved(int times, int oddX, int oddY) {
        return new Area(place(x0, times, oddX), place(y0, times, oddY), place(x1, times, oddX), place(y1, times, oddY));
    }

    private static int place(int unhalved, int times, int odd) {
        long first = odd == 0 ? 0 : 1L << (times - 1);
        return (int) ((unhalved - first + (1L << times) - 1) >> times);
    }

    Area within(Area other) {
        return new Area(Math.max(x0, other.x0), Math.max(y0, other.y0), Math.min(x1, other.x1), Math.min(y1, other.y1));
    }
}
