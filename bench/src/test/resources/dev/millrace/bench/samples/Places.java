package samples;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntBinaryOperator;
import java.util.function.Supplier;

/** Lambdas in all places of a program. */
final class Places {
    private static final Supplier<String> OF_A_FIELD = () -> "static field";
    private final Supplier<String> ofAnObject = () -> "field of " + name();
    private final String early = ofAnObject.get();
    private final String name;

    Places(String name) {
        this.name = name;
    }

    private String name() {
        return name;
    }

    interface Greeter {
        String name();

        default Supplier<String> greeting(int times) {
            return () -> "hello ".repeat(times) + name();
        }

        static Supplier<String> nobody() {
            return () -> "nobody";
        }

        Function<String, Greeter> OF = name -> () -> name;
    }

    enum Operation {
        PLUS((a, b) -> a + b),
        TIMES((a, b) -> a * b) {
            @Override
            Supplier<String> text() {
                return () -> "times " + this;
            }
        };

        private final IntBinaryOperator operator;

        Operation(IntBinaryOperator operator) {
            this.operator = operator;
        }

        Supplier<String> text() {
            return () -> "operation " + name();
        }
    }

    static class Base {
        final List<Object> given = new ArrayList<>();

        Base(Supplier<String> first) {
            given.add(first.get());
        }
    }

    static final class Derived extends Base {
        private final int number;

        Derived(int number) {
            String early = "early";
            Supplier<String> before = () -> early + number;
            super(before);
            this.number = number;
            Supplier<Integer> after = () -> this.number;
            given.add(after.get());
        }
    }

    record Pair<A, B>(A first, B second) {
        Pair {
            Runnable check = () -> {
                if (first == null) {
                    throw new IllegalArgumentException("no first");
                }
            };
            check.run();
        }

        Supplier<Pair<B, A>> turned() {
            return () -> new Pair<>(second, first);
        }
    }

    static Object fields() {
        var places = new Places("p");
        return OF_A_FIELD.get() + ", " + places.early + ", " + places.ofAnObject.get();
    }

    static Object interfaces() {
        Greeter greeter = Greeter.OF.apply("you");
        return greeter.greeting(2).get() + Greeter.nobody().get();
    }

    static Object enums() {
        var all = new ArrayList<Object>();
        for (Operation each : Operation.values()) {
            all.add(each.operator.applyAsInt(3, 4));
            all.add(each.text().get());
        }
        return all;
    }

    static Object constructorsBeforeTheirFields() {
        return new Derived(3).given;
    }

    static Object records() {
        Pair<Integer, String> turned = new Pair<>("a", 1).turned().get();
        try {
            return new Pair<>(null, turned);
        } catch (IllegalArgumentException e) {
            return turned + e.getMessage();
        }
    }

    static Object localAndAnonymousClasses() {
        int seen = 4;
        class Local {
            Supplier<Integer> twice() {
                return () -> 2 * seen;
            }
        }
        Comparator<Integer> order = new Comparator<>() {
            @Override
            public int compare(Integer a, Integer b) {
                Supplier<Integer> difference = () -> b - a - seen;
                return difference.get();
            }
        };
        return new Local().twice().get() + order.compare(1, 2);
    }

    interface Word2 {
        String text();
    }

    interface Word {
        String text();
    }

    interface Word1 {
        String text();
    }

    /** The companion of each interface has a name of its own, though the interfaces' names end in numbers. */
    static Object interfacesWithNumbersInTheirNames() {
        Runnable first = () -> {};
        first.run();
        Word1 one = () -> "one";
        Word none = () -> "none";
        Word2 two = () -> "two";
        return none.text() + one.text() + two.text();
    }

    static final class Numbered {
        private Numbered() {}

        static Object aNumberedInterfaceBeforeThePlainOne() {
            Word1 one = () -> "one";
            Word none = () -> "none";
            return one.text() + none.text();
        }
    }

    static Object numbered() {
        return Numbered.aNumberedInterfaceBeforeThePlainOne();
    }
}
