package samples;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import samples.other.Hidden;

/** Method references of all kinds. */
final class References extends Hidden {
    interface Three<A, B, C, R> {
        R of(A a, B b, C c);
    }

    interface Shape<T extends Comparable<T>> {
        T larger(T a, T b);
    }

    interface Named {
        String name();

        private String twice() {
            return name() + name();
        }

        default Supplier<String> doubled() {
            return this::twice;
        }
    }

    private static class Point {
        private final int x;
        private final long y;

        private Point(int x, long y) {
            this.x = x;
            this.y = y;
        }

        private Point(Integer both) {
            this(both, both);
        }

        private int x() {
            return x;
        }

        static <T extends Comparable<T>> T larger(T a, T b) {
            return a.compareTo(b) > 0 ? a : b;
        }

        @Override
        public String toString() {
            return "(" + x + "," + y + ")";
        }
    }

    private static int written;

    private static long doubled(long number) {
        return 2 * number;
    }

    private static int firstOf(Integer... all) {
        return all.length == 0 ? -1 : all[0];
    }

    private static int write(int number) {
        return written = number;
    }

    private static double writeWide(double number) {
        written = (int) number;
        return number;
    }

    static Object staticMethods() {
        Function<String, Integer> parse = Integer::parseInt;
        BiFunction<Integer, Integer, Integer> most = Math::max;
        return List.of(parse.apply("12"), most.apply(3, 4));
    }

    static Object boundMethods() {
        String text = "hello";
        IntFunction<Character> at = text::charAt;
        Supplier<Integer> length = text::length;
        Function<String, String> concat = text::concat;
        return List.of(at.apply(1), length.get(), concat.apply("!"));
    }

    static Object aBoundReceiverIsTakenOnceAndIsNotNull() {
        var receivers = new ArrayList<>(List.of("first", "second"));
        Supplier<Integer> length = receivers.removeFirst()::length;
        int sum = length.get() + length.get();
        String nothing = null;
        try {
            Supplier<Integer> none = nothing::length;
            return none;
        } catch (NullPointerException e) {
            return sum + " left " + receivers;
        }
    }

    static Object unboundMethods() {
        Function<String, Integer> length = String::length;
        BiFunction<String, Integer, Character> at = String::charAt;
        ToIntFunction<Point> x = Point::x;
        Function<Map.Entry<String, Integer>, String> key = Map.Entry::getKey;
        Comparator<String> order = String::compareToIgnoreCase;
        return List.of(
                length.apply("four"),
                at.apply("four", 2),
                x.applyAsInt(new Point(6, 7)),
                key.apply(Map.entry("k", 1)),
                order.compare("A", "a"));
    }

    static Object constructors() {
        Supplier<ArrayList<String>> lists = ArrayList::new;
        BiFunction<Integer, Long, Point> points = Point::new;
        Function<Integer, Point> square = Point::new;
        IntFunction<int[]> arrays = int[]::new;
        Function<Integer, String[][]> deep = String[][]::new;
        return List.of(lists.get(), points.apply(1, 2L), square.apply(3), arrays.apply(4).length, deep.apply(5).length);
    }

    static Object varargs() {
        Supplier<Integer> none = References::firstOf;
        Function<Integer, Integer> one = References::firstOf;
        Three<Integer, Integer, Integer, Integer> three = References::firstOf;
        BiFunction<Integer, Integer, List<Integer>> list = Arrays::asList;
        return List.of(none.get(), one.apply(5), three.of(6, 7, 8), list.apply(9, 10));
    }

    static Object genericsWithCasts() {
        Shape<String> texts = Point::larger;
        Shape<Integer> numbers = Point::larger;
        UnaryOperator<String> upper = String::toUpperCase;
        Function<List<? extends Number>, Number> first = List::getFirst;
        return List.of(texts.larger("a", "b"), numbers.larger(4, 3), upper.apply("x"), first.apply(List.of(1.5f)));
    }

    static Object boxingUnboxingAndWidening() {
        Function<Integer, Long> boxed = References::doubled;
        ToLongFunction<Integer> unboxed = References::doubled;
        IntToLongFunction widened = References::doubled;
        ToLongFunction<Character> ofCharacter = References::doubled;
        ToDoubleFunction<Float> ofFloat = Float::doubleValue;
        ToDoubleFunction<Byte> ofByte = each -> each;
        Function<Short, Object> kept = each -> each;
        ToLongFunction<Integer> intToLong = Integer::intValue;
        IntFunction<Object> toObject = Integer::valueOf;
        IntFunction<Number> toNumber = References::write;
        return List.of(
                boxed.apply(4),
                unboxed.applyAsLong(5),
                widened.applyAsLong(6),
                ofCharacter.applyAsLong('a'),
                ofFloat.applyAsDouble(0.5f),
                ofByte.applyAsDouble((byte) -1),
                kept.apply((short) 7),
                intToLong.applyAsLong(-8),
                toObject.apply(9),
                toNumber.apply(10));
    }

    static Object resultsThatNobodyWants() {
        Consumer<Integer> one = References::write;
        one.accept(11);
        int before = written;
        Consumer<Float> wide = References::writeWide;
        wide.accept(12.5f);
        Consumer<Integer> made = Point::new;
        made.accept(1);
        return before + " " + written;
    }

    static Object wrongArgumentsFail() {
        Function<String, Integer> length = String::length;
        return failure(length, 5) + failure((Function<Integer, Long>) References::doubled, null);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static String failure(Function function, Object argument) {
        try {
            return "" + function.apply(argument);
        } catch (ClassCastException | NullPointerException e) {
            return e.getClass().getSimpleName();
        }
    }

    static Object methodsOfAnotherPackage() {
        return new References().inherited();
    }

    private List<String> inherited() {
        Supplier<String> own = this::word;
        Supplier<String> above = super::word;
        Supplier<String> fixed = Hidden::fixed;
        Function<References, String> unbound = References::word;
        return List.of(own.get(), above.get(), fixed.get(), unbound.apply(this));
    }

    static Object privateMethodsOfAnInterface() {
        Named named = () -> "n";
        return named.doubled().get();
    }

    static Object methodsOfArraysAndOfObjects() {
        int[] numbers = {1, 2};
        Supplier<int[]> copy = numbers::clone;
        Function<Object, String> text = Object::toString;
        Supplier<Class<?>> type = text.apply("x")::getClass;
        return copy.get()[1] + text.apply(3) + type.get();
    }

    static Object inStreams() {
        return Stream.of("b", "a", "c")
                .sorted(Comparator.reverseOrder())
                .map(String::toUpperCase)
                .toList();
    }
}
