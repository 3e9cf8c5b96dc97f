package open;

import java.io.Closeable;
import java.util.List;
import java.util.function.Supplier;

public abstract class Shape<T extends Comparable<T>> implements Closeable, Comparable<Shape<T>> {
    public static final int LARGEST = 10;
    protected final List<T> corners;
    final int ofThePackage = 1;
    private final int[] own = {2};

    protected Shape(List<T> corners) {
        this.corners = corners;
    }

    Shape() {
        this(List.of());
    }

    public abstract double area();

    public static <T extends Comparable<T>> Shape<T>[][] all(int count, String... names) {
        throw new UnsupportedOperationException(count + names[0]);
    }

    protected final T first() {
        Supplier<T> first = () -> corners.get(own[0] + ofThePackage);
        return first.get();
    }

    void ofThePackage() {}

    private void own() {}

    public void $written() {
        own();
    }

    /** Has a bridge of the compiler beside it. */
    @Override
    public int compareTo(Shape<T> other) {
        return new Object() {
            public int order() {
                return 0;
            }
        }.order();
    }

    @Override
    public void close() {}

    public static class Builder {
        public Shape<String> build() {
            throw new UnsupportedOperationException();
        }
    }

    protected static class Extended {
        public void extend() {}
    }

    static class OfThePackage {
        public static class Inside {
            public void unseen() {}
        }
    }

    private static class Own {
        public void unseen() {}
    }
}
