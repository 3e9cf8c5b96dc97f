package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.format.FileUse;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The texts of an option's values, as configuration files and commands have them. */
final class OptionText<T extends @Nullable Object> {
    /** A flag, as ONNX Runtime writes it or as a word. */
    static final OptionText<Boolean> FLAG = new OptionText<>(
            value -> switch (value) {
                case "true" -> true;
                case "false" -> false;
                default -> zeroOrOne(value);
            },
            OptionText::flag);

    static final OptionText<Integer> NUMBER = new OptionText<>(OptionText::integer, value -> Integer.toString(value));
    static final OptionText<@Nullable String> TEXT = new OptionText<>(OptionText::unlessEmpty, OptionText::orEmpty);
    static final OptionText<@Nullable Path> PATH =
            new OptionText<>(value -> value.isEmpty() ? null : path(value), OptionText::orEmpty);
    static final OptionText<FileUse> FILE_USE = new OptionText<>(OptionText::fileUse, FileUse::name);

    static final OptionText<@Nullable DevicePolicy> DEVICE_POLICY =
            new OptionText<>(value -> value.isEmpty() ? null : DevicePreference.named(value), OptionText::devicePolicy);

    private final Function<String, T> parse;
    private final Function<T, String> print;

    private OptionText(Function<String, T> parse, Function<T, String> print) {
        this.parse = parse;
        this.print = print;
    }

    T parse(String value) {
        return parse.apply(value);
    }

    String print(T value) {
        return print.apply(value);
    }

    static boolean zeroOrOne(String value) {
        return switch (value) {
            case "0" -> false;
            case "1" -> true;
            default -> throw EngineException.invalidArgument("'" + value + "' is neither 0 nor 1");
        };
    }

    static String flag(boolean value) {
        return value ? "1" : "0";
    }

    static Path path(String value) {
        try {
            return Path.of(value);
        } catch (InvalidPathException e) {
            throw EngineException.invalidArgument("'" + value + "' is no path");
        }
    }

    static String orEmpty(@Nullable Object value) {
        return value == null ? "" : value.toString();
    }

    private static @Nullable String unlessEmpty(String value) {
        return value.isEmpty() ? null : value;
    }

    private static int integer(String value) {
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw EngineException.invalidArgument("'" + value + "' is no integer of 32 bits");
        }
    }

    private static String devicePolicy(@Nullable DevicePolicy value) {
        return value instanceof DevicePreference named ? named.name() : orEmpty(value);
    }

    private static FileUse fileUse(String value) {
        for (FileUse use : FileUse.values()) {
            if (use.name().equals(value)) {
                return use;
            }
        }
        throw EngineException.invalidArgument("'" + value + "' is none of " + Arrays.toString(FileUse.values()));
    }
}
