package dev.millrace.graph.op;

import dev.millrace.graph.ir.OpId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The schemas of one domain, read from the resource that is named after it: definitions of named sets of types, then a
 * block for each version of each operator. Blocks are parsed when they are first asked for.
 *
 * <pre>
 * $floating = float float16 double
 *
 * Name 13 deprecated
 * % unary same
 * = Y: Mul(X, Tanh(Mul(alpha, X)))
 * &lt; X:T bias?:T more*:T others**0:V
 * &gt; Y:T
 * T = $floating seq($floating)
 * &#64; axis:int! alpha:float=0.5 mode:string=linear
 * </pre>
 *
 * Words after a percent sign are {@linkplain Trait traits} of all versions. After an equals sign comes the
 * {@linkplain Definition definition} of an output by other operators, which holds for all versions. A question mark is
 * an optional value; one star a variadic one of one type, two stars of several types, and a number the least count
 * where it is not one. An exclamation mark is a required attribute.
 */
final class SchemaFile {
    static final char TRAITS = '%';
    static final char DEFINITION = '=';

    /** The version of a block and its offset in the text. */
    private record Entry(int since, int offset) {}

    private final String domain;
    private final String file;
    private final String text;
    private final Map<String, List<Entry>> entries = new HashMap<>();
    private final Map<String, List<String>> sets = new HashMap<>();
    private final Map<String, EnumSet<Trait>> traits = new LinkedHashMap<>();
    /** The offsets of the lines that define an operator by others, by its name. */
    private final Map<String, List<Integer>> definitions = new HashMap<>();

    private final Map<Integer, OperatorSchema> parsed = new ConcurrentHashMap<>();

    /** @param file the name of the resource in errors */
    SchemaFile(String domain, String file, String text) {
        this.domain = domain;
        this.file = file;
        this.text = text;
        boolean blockBegins = false;
        String name = "";
        for (int start = 0; start < text.length(); ) {
            int end = lineEnd(start);
            if (text.charAt(start) == '$') {
                define(text.substring(start, end));
            } else if (start == end) {
                blockBegins = true;
            } else if (blockBegins) {
                String[] head = text.substring(start, end).split(" ", -1);
                name = head[0];
                entries.computeIfAbsent(name, key -> new ArrayList<>(2))
                        .add(new Entry(Integer.parseInt(head[1]), start));
                blockBegins = false;
            } else if (text.charAt(start) == TRAITS) {
                describe(name, text.substring(start + 2, end));
            } else if (text.charAt(start) == DEFINITION) {
                definitions.computeIfAbsent(name, key -> new ArrayList<>(1)).add(start);
            }
            start = end + 1;
        }
    }

    /** Loads the schemas of {@code domain} from the resource {@code file}. */
    static SchemaFile load(String domain, String file) {
        try {
            return new SchemaFile(domain, file, OwnResource.text(SchemaFile.class, file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Parses the only block of a text. */
    static OperatorSchema single(String domain, String text) {
        List<OperatorSchema> all = new SchemaFile(domain, domain, "\n" + text.strip()).all();
        if (all.size() != 1) {
            throw new IllegalArgumentException("a text of one operator defines " + all.size() + ": " + text);
        }
        return all.getFirst();
    }

    private int lineEnd(int start) {
        int end = text.indexOf('\n', start);
        return end < 0 ? text.length() : end;
    }

    private void define(String line) {
        int equals = line.indexOf(" = ");
        sets.put(line.substring(1, equals), SchemaParser.expanded(line.substring(equals + 3), sets));
    }

    private void describe(String name, String words) {
        EnumSet<Trait> all = traits.computeIfAbsent(name, key -> EnumSet.noneOf(Trait.class));
        for (String word : words.split(" ", -1)) {
            all.add(Trait.of(word));
        }
    }

    Set<Trait> traits(String name) {
        EnumSet<Trait> all = traits.get(name);
        return all == null ? Set.of() : all;
    }

    /** The operators that have {@code trait}, in the order of the file. */
    List<OpId> with(Trait trait) {
        var found = new ArrayList<OpId>();
        traits.forEach((name, all) -> {
            if (all.contains(trait)) {
                found.add(new OpId(domain, name));
            }
        });
        return found;
    }

    boolean isDefined(String name) {
        return definitions.containsKey(name);
    }

    /** Parses the definitions of a version's outputs by other operators; empty where there are none. */
    List<Definition> definitions(OperatorSchema schema) {
        var found = new ArrayList<Definition>();
        for (int start : definitions.getOrDefault(schema.op().name(), List.of())) {
            try {
                found.add(DefinitionParser.parse(schema, text.substring(start + 2, lineEnd(start))));
            } catch (IllegalArgumentException e) {
                long line = 1 + text.substring(0, start).lines().count();
                throw new IllegalStateException(file + ":" + line + ": " + e.getMessage(), e);
            }
        }
        return found;
    }

    /** Returns the latest version of {@code name} that is not after {@code opset}, or null. */
    @Nullable
    OperatorSchema find(String name, int opset) {
        Entry latest = null;
        for (Entry entry : entries.getOrDefault(name, List.of())) {
            if (entry.since() <= opset && (latest == null || entry.since() > latest.since())) {
                latest = entry;
            }
        }
        return latest == null ? null : parse(name, latest);
    }

    /** Returns the opset in which {@code name} appeared, or -1 where it is unknown. */
    int firstVersion(String name) {
        int first = -1;
        for (Entry entry : entries.getOrDefault(name, List.of())) {
            first = first < 0 ? entry.since() : Math.min(first, entry.since());
        }
        return first;
    }

    /** The newest version of any operator. */
    int newestVersion() {
        return entries.values().stream()
                .flatMap(List::stream)
                .mapToInt(Entry::since)
                .max()
                .orElse(-1);
    }

    List<OperatorSchema> all() {
        var all = new ArrayList<OperatorSchema>();
        entries.forEach((name, versions) -> versions.forEach(entry -> all.add(parse(name, entry))));
        return all;
    }

    private OperatorSchema parse(String name, Entry entry) {
        return parsed.computeIfAbsent(entry.offset(), offset -> {
            int end = text.indexOf("\n\n", offset);
            String block = text.substring(offset, end < 0 ? text.length() : end);
            return SchemaParser.parse(new OpId(domain, name), entry.since(), block, sets);
        });
    }
}
