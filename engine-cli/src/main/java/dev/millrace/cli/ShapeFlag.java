package dev.millrace.cli;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Shapes as the command line gives them: {@code name=1,3,224,224}; a scalar is {@code name=}. */
public final class ShapeFlag {
    private ShapeFlag() {}

    public static Map<String, long[]> parse(List<String> flags) {
        var shapes = new LinkedHashMap<String, long[]>();
        for (String flag : flags) {
            int equals = flag.lastIndexOf('=');
            if (equals <= 0) {
                throw new UsageException(
                        "'" + flag + "' is no shape; write the input's name and its extents, like x=1,3,224,224");
            }
            shapes.put(flag.substring(0, equals), extents(flag, flag.substring(equals + 1)));
        }
        return shapes;
    }

    private static long[] extents(String flag, String list) {
        long[] extents;
        try {
            extents = Arrays.stream(list.split("[,x]"))
                    .map(String::strip)
                    .filter(part -> !part.isEmpty())
                    .mapToLong(Long::parseLong)
                    .toArray();
        } catch (NumberFormatException e) {
            throw new UsageException("'" + flag + "' has an extent that is no number");
        }
        if (Arrays.stream(extents).anyMatch(extent -> extent < 0)) {
            throw new UsageException("'" + flag + "' has a negative extent");
        }
        return extents;
    }
}
