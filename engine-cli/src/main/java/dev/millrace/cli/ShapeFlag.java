package dev.millrace.cli;

import dev.millrace.graph.EngineException;
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
                throw EngineException.invalidArgument(
                        "'" + flag + "' is no shape; write the input's name and its extents, like x=1,3,224,224");
            }
            try {
                shapes.put(
                        flag.substring(0, equals),
                        Arrays.stream(flag.substring(equals + 1).split("[,x]"))
                                .map(String::strip)
                                .filter(part -> !part.isEmpty())
                                .mapToLong(Long::parseLong)
                                .toArray());
            } catch (NumberFormatException e) {
                throw EngineException.invalidArgument("'" + flag + "' has an extent that is no number");
            }
        }
        return shapes;
    }
}
