package dev.millrace.graph.ir;

/** One extent of a symbolic shape. */
public sealed interface Dim {
    /** An extent that is known. */
    record Known(long extent) implements Dim {

        @Override
        public String toString() {
            return Long.toString(extent);
        }
    }

    /**
     * An extent that is not known but has a name: two dimensions of one name are equal. Derived extents carry their
     * expression as their name, such as {@code seq*64}.
     */
    record Symbol(String name) implements Dim {

        @Override
        public String toString() {
            return name;
        }
    }

    /** An extent of which nothing is known, not even whether it equals another. */
    enum Unknown implements Dim {
        UNKNOWN;

        @Override
        public String toString() {
            return "?";
        }
    }

    Dim UNKNOWN = Unknown.UNKNOWN;

    static Dim of(long extent) {
        return new Known(extent);
    }

    static Dim symbol(String name) {
        return name.isEmpty() ? UNKNOWN : new Symbol(name);
    }

    default boolean isKnown() {
        return this instanceof Known;
    }

    default boolean is(long extent) {
        return this instanceof Known known && known.extent == extent;
    }

    /** The extent, or -1 where it is not known. */
    default long extentOrMinusOne() {
        return this instanceof Known known ? known.extent : -1;
    }
}
