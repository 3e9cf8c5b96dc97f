package dev.millrace.kernels.gemm;

/** Which part of B a tile asks for before it is needed. */
public enum Fetch {
    /** None: B is near. */
    NONE,
    /** What is read some hundred bytes later: B comes from far. */
    SOON,
    /** The next panel, line by line while this one is read for the last time: B comes from far and is packed. */
    NEXT(1),
    /** Half of the next panel, and the other half with the next tile: memory is slower than a tile. */
    NEXT_HALF(2),
    /** A quarter of the next panel with each of four tiles. */
    NEXT_QUARTER(4);

    private final int tiles;

    Fetch() {
        this(0);
    }

    Fetch(int tiles) {
        this.tiles = tiles;
    }

    /** How many tiles it takes until the next panel was asked for; 0 where none is. */
    int tiles() {
        return tiles;
    }

    boolean isNext() {
        return tiles > 0;
    }

    /** The next panel, by as many of so many tiles as share it. */
    static Fetch next(long tiles) {
        return tiles >= NEXT_QUARTER.tiles ? NEXT_QUARTER : tiles >= NEXT_HALF.tiles ? NEXT_HALF : NEXT;
    }
}
