package dev.millrace.kernels.gemm;

/** The part of B that a tile prefetches. */
public enum Fetch {
    /** Nothing: B is in the near caches. */
    NONE,
    /** The bytes that this tile reads some hundred bytes later, for a B beyond the near caches. */
    SOON,
    /** The next panel, line by line while this one is read for the last time, for a packed B beyond the near caches. */
    NEXT(1),
    /** Half of the next panel in each of two tiles, for memory that is slower than one tile. */
    NEXT_HALF(2),
    /** A quarter of the next panel in each of four tiles. */
    NEXT_QUARTER(4);

    private final int tiles;

    Fetch() {
        this(0);
    }

    Fetch(int tiles) {
        this.tiles = tiles;
    }

    /** The number of tiles that together prefetch the next panel; 0 where none is prefetched. */
    int tiles() {
        return tiles;
    }

    boolean isNext() {
        return tiles > 0;
    }

    /** Returns the prefetch of the next panel that {@code tiles} tiles of this one can share. */
    static Fetch next(long tiles) {
        return tiles >= NEXT_QUARTER.tiles ? NEXT_QUARTER : tiles >= NEXT_HALF.tiles ? NEXT_HALF : NEXT;
    }
}
