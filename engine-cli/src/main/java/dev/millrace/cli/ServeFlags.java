package dev.millrace.cli;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Values of flags of {@code serve}, and its folders. They come from the command line, the environment and a file. This class
 * reads plain command lines itself, so that a server starts without picocli.
 */
final class ServeFlags {
    private static final String COMMAND = "serve";

    /**
     * The values of a flag.
     *
     * @param place what an error names: the flag, the variable, or the file and its key
     */
    private record Given(String place, List<String> texts) {
        String text() {
            return texts.getLast();
        }

        UsageException wrong(String expected) {
            return new UsageException(place + " is '" + text() + "'; it is " + expected);
        }
    }

    private final Map<ServeFlag, Given> given = new EnumMap<>(ServeFlag.class);
    private final List<String> folders = new ArrayList<>();

    /**
     * Reads a plain command line of {@code serve}: known flags with their values, and folders.
     *
     * @return null for any other command line, such as one that asks for help; picocli reads or refuses it
     */
    static @Nullable ServeFlags read(String... arguments) {
        Iterator<String> rest = Arrays.asList(arguments).iterator();
        if (!rest.hasNext() || !rest.next().equals(COMMAND)) {
            return null;
        }
        var flags = new ServeFlags();
        while (rest.hasNext()) {
            String argument = rest.next();
            if (isPlain(argument)) {
                flags.folders.add(argument);
            } else if (!flags.readFlag(argument, rest)) {
                return null;
            }
        }
        return flags;
    }

    private boolean readFlag(String argument, Iterator<String> rest) {
        int sign = argument.indexOf('=');
        ServeFlag flag = ServeFlag.find(sign < 0 ? argument : argument.substring(0, sign));
        if (flag == null || given.containsKey(flag) && flag.kind() != ServeFlag.Kind.LIST) {
            return false;
        }
        if (flag.kind() == ServeFlag.Kind.SWITCH) {
            add(flag, flag.flag(), Boolean.toString(true));
            return sign < 0;
        }
        String value = sign >= 0 ? argument.substring(sign + 1) : rest.hasNext() ? rest.next() : "";
        add(flag, flag.flag(), value);
        return isPlain(value);
    }

    /** Whether an argument is read as it stands: it is no flag, and no file of arguments. */
    private static boolean isPlain(String argument) {
        return !argument.isEmpty() && argument.charAt(0) != '-' && argument.charAt(0) != '@';
    }

    /** Returns the flags that environment variables give. An empty variable gives none. */
    static ServeFlags ofEnvironment(Map<String, String> variables) {
        var flags = new ServeFlags();
        for (ServeFlag flag : ServeFlag.values()) {
            String value = variables.getOrDefault(flag.variable(), "");
            if (!value.isEmpty()) {
                flags.add(flag, flag.variable(), value);
            }
        }
        return flags;
    }

    /**
     * Adds a value of a flag.
     *
     * @param place what an error names
     */
    void add(ServeFlag flag, String place, String text) {
        given.computeIfAbsent(flag, _ -> new Given(place, new ArrayList<>()))
                .texts()
                .add(text);
    }

    void addFolder(String folder) {
        folders.add(folder);
    }

    /** Takes flags from others where these have no value, and folders if these have none. Returns these. */
    ServeFlags orElse(ServeFlags others) {
        others.given.forEach(given::putIfAbsent);
        if (folders.isEmpty()) {
            folders.addAll(others.folders);
        }
        return this;
    }

    List<String> folders() {
        return folders;
    }

    /** Whether a flag without a value is given. */
    boolean isOn(ServeFlag flag) {
        Given value = given.get(flag);
        return value != null
                && switch (value.text().toLowerCase(Locale.ROOT)) {
                    case "true" -> true;
                    case "false" -> false;
                    default -> throw value.wrong("true or false");
                };
    }

    @Nullable
    String text(ServeFlag flag) {
        Given value = given.get(flag);
        return value == null ? null : value.text();
    }

    List<String> texts(ServeFlag flag) {
        Given values = given.get(flag);
        return values == null ? List.of() : values.texts();
    }

    @Nullable
    Path path(ServeFlag flag) {
        Given value = given.get(flag);
        try {
            return value == null ? null : Path.of(value.text());
        } catch (InvalidPathException _) {
            throw value.wrong("a path");
        }
    }

    /** Returns the number that a flag has, or another one. */
    int count(ServeFlag flag, int least, int otherwise) {
        return Math.toIntExact(number(flag, least, Integer.MAX_VALUE, otherwise));
    }

    /** Returns the number that a flag has, or another one. */
    long bytes(ServeFlag flag, long otherwise) {
        return number(flag, 0, Long.MAX_VALUE, otherwise);
    }

    private long number(ServeFlag flag, long least, long most, long otherwise) {
        Given value = given.get(flag);
        if (value == null) {
            return otherwise;
        }
        try {
            long number = Long.parseLong(value.text());
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException _) {
            throw value.wrong("a whole number");
        }
        throw value.wrong(most == Long.MAX_VALUE ? "at least " + least : least + " to " + most);
    }

    /** Returns the constant that a flag names in any case, or another one. */
    <E extends Enum<E>> E constant(ServeFlag flag, E otherwise) {
        Given value = given.get(flag);
        if (value == null) {
            return otherwise;
        }
        E[] all = otherwise.getDeclaringClass().getEnumConstants();
        return Arrays.stream(all)
                .filter(each -> each.name().equalsIgnoreCase(value.text()))
                .findFirst()
                .orElseThrow(() -> value.wrong("one of " + Arrays.toString(all)));
    }
}
