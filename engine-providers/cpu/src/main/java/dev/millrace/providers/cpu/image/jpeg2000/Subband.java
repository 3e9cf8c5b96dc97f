package dev.millrace.providers.cpu.image.jpeg2000;

/** One band of a resolution: coefficients with one step. */
final class Subband {
    /** The kinds of bands: low in both directions, high in one of them, or in both. */
    static final int LOW = 0;

    static final int HIGH_ACROSS = 1;
    static final int HIGH_DOWN = 2;
    static final int HIGH = 3;

    final int kind;
    final Area area;
    final int planes;
    final float step;

    Subband(int kind, Area area, int planes, float step) {
        this.kind = kind;
        this.area = area;
        this.planes = planes;
        this.step = step;
    }
}
