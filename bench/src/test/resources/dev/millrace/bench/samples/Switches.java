package samples;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** Switches over types. */
final class Switches {
    sealed interface Shape permits Circle, Box, Unit {}

    record Circle(double radius) implements Shape {}

    record Box(Shape inside, int edge) implements Shape {}

    enum Unit implements Shape {
        METRE,
        INCH
    }

    sealed interface Choice<T> {}

    record Left<T>(T value) implements Choice<T> {}

    record Right<T>(T value) implements Choice<T> {}

    interface Walker {
        default String walk(Object on) {
            return switch (on) {
                case String text when text.isEmpty() -> "nothing";
                case String text -> text;
                case Integer number -> "number " + number;
                default -> "other";
            };
        }
    }

    private Switches() {}

    private static Object each(Function<Object, Object> function, Object... selectors) {
        var results = new ArrayList<>();
        for (Object selector : selectors) {
            try {
                results.add(function.apply(selector));
            } catch (RuntimeException e) {
                results.add(e.getClass().getSimpleName());
            }
        }
        return results;
    }

    private static Object[] some() {
        return new Object[] {"", "text", 0, 41, 42, 7L, 2.5, 'c', List.of(1), new int[3], new String[2], null, Unit.INCH
        };
    }

    static Object types() {
        return each(
                o -> switch (o) {
                    case Integer i -> "int " + i;
                    case CharSequence text -> "text " + text;
                    case Number number -> "number " + number;
                    case int[] numbers -> "ints " + numbers.length;
                    case Object[] objects -> "objects " + objects.length;
                    case Shape shape -> "shape " + shape;
                    default -> "something";
                },
                some());
    }

    static Object guards() {
        return each(
                o -> switch (o) {
                    case Integer i when i > 41 -> "large " + i;
                    case Integer i when i == 41 -> "medium";
                    case String text when text.length() > 3 -> "long";
                    case Number number when number.intValue() == 7 -> "seven";
                    case Integer i -> "small " + i;
                    case String text -> "short";
                    default -> "rest";
                },
                some());
    }

    static Object nullLabels() {
        return each(
                o -> switch (o) {
                    case null -> "null";
                    case String text -> "text";
                    default -> "rest";
                },
                some());
    }

    static Object nullWithDefault() {
        return each(
                o -> switch (o) {
                    case String text -> "text";
                    case null, default -> "null or rest";
                },
                some());
    }

    static Object onlyNullAndDefault() {
        return each(
                o -> switch (o) {
                    case null -> "null";
                    default -> "rest";
                },
                some());
    }

    static Object sealedTypesAndRecordPatterns() {
        return each(
                o -> area((Shape) o),
                new Circle(2),
                new Box(new Circle(1), 3),
                new Box(new Box(Unit.INCH, 4), 5),
                new Box(null, 6),
                Unit.METRE,
                null);
    }

    private static String area(Shape shape) {
        return switch (shape) {
            case Circle(double radius) when radius > 1 -> "large circle";
            case Circle(var radius) -> "circle " + radius;
            case Box(Box(var inside, int inner), int edge) -> inside + " in " + inner + " in " + edge;
            case Box(Circle circle, var edge) -> "circle in " + edge;
            case Box box -> "box " + box.edge();
            case Unit unit -> "unit " + unit;
        };
    }

    static Object genericSealedTypes() {
        return choose(new Left<>("l")) + choose(new Right<>("r"));
    }

    private static <T> String choose(Choice<T> choice) {
        return switch (choice) {
            case Left<T>(T value) -> "left " + value;
            case Right<T>(T value) -> "right " + value;
        };
    }

    static Object severalPatternsOfOneCase() {
        return each(
                o -> switch (o) {
                    case Integer _, Long _ -> "whole";
                    case Float _, Double _ -> "real";
                    default -> "rest";
                },
                some());
    }

    static Object statementsThatFallThrough() {
        return each(
                o -> {
                    var text = new StringBuilder();
                    switch (o) {
                        case String s:
                            text.append("text ").append(s);
                            break;
                        case Number _:
                            text.append("number ");
                        default:
                            text.append("on");
                    }
                    return text;
                },
                some());
    }

    static Object twoEqualSwitchesInOneMethod() {
        Object a = 1;
        String first = switch (a) {
            case String _ -> "text";
            case Integer _ -> "int";
            default -> "rest";
        };
        Object b = "b";
        String second = switch (b) {
            case String _ -> "text";
            case Integer _ -> "int";
            default -> "rest";
        };
        return first + second;
    }

    static Object inInterfaces() {
        var walker = new Walker() {};
        return Arrays.asList(walker.walk(""), walker.walk("w"), walker.walk(3), walker.walk('c'));
    }

    static Object constantsAmongTypes() {
        return each(
                o -> switch (o) {
                    case Unit.METRE -> "one metre";
                    case Circle _ -> "circle";
                    case Unit other -> "other " + other;
                    default -> "rest";
                },
                Unit.METRE,
                Unit.INCH,
                new Circle(1),
                "m");
    }

    static Object textsWithGuards() {
        return each(
                o -> switch ((String) o) {
                    case "one" -> 1;
                    case String text when text.length() > 3 -> 4;
                    case "two" -> 2;
                    case String _ -> 0;
                },
                "one",
                "two",
                "three",
                "",
                null);
    }

    static Object numbersWithGuards() {
        return each(
                o -> switch ((Integer) o) {
                    case 1 -> "one";
                    case Integer i when i > 100 -> "many";
                    case 2 -> "two";
                    case Integer i -> "" + i;
                },
                1,
                2,
                3,
                101,
                null);
    }

    static Object enumsWithGuards() {
        return each(
                o -> switch ((Unit) o) {
                    case METRE -> "m";
                    case Unit unit when unit.ordinal() > 5 -> "large";
                    case INCH -> "in";
                },
                Unit.METRE,
                Unit.INCH,
                null);
    }
}
