package dev.millrace.session.runtime;

import java.nio.file.Path;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The names of the open sessions of an engine. A session without a name of its own has the name of its model's file;
 * folders before it distinguish files of the same name. Thread-safe.
 */
final class SessionNames {
    /** The names, held weakly: that of a session that is collected without being closed goes with it. */
    private final Set<Name> all = Collections.newSetFromMap(new WeakHashMap<>());

    /** The name of a session, which holds it. */
    static final class Name {
        private final String text;
        private final @Nullable Path file;

        private Name(String text, @Nullable Path file) {
            this.text = text;
            this.file = file;
        }

        String text() {
            return text;
        }
    }

    /**
     * Names a session.
     *
     * @param wanted the name in its options; null for none
     * @param file the file of its model; null for none
     * @param graph the name of its model's graph
     */
    synchronized Name give(@Nullable String wanted, @Nullable Path file, String graph) {
        Path place = file == null ? null : file.toAbsolutePath().normalize();
        String text = wanted;
        if (text == null) {
            text = place == null ? graph : called(place);
        }
        var name = new Name(text, place);
        all.add(name);
        return name;
    }

    synchronized void remove(Name name) {
        all.remove(name);
    }

    /** Returns the file's name without its extension, after the folders that distinguish it from other open files. */
    private String called(Path file) {
        int last = file.getNameCount() - 1;
        String name = file.getName(last).toString();
        int dot = name.lastIndexOf('.');
        String stem = dot > 0 ? name.substring(0, dot) : name;
        String text = stem;
        for (int first = last - 1; first >= 0 && isTaken(text, file); first--) {
            text = file.subpath(first, last) + "/" + stem;
        }
        return text;
    }

    private boolean isTaken(String text, Path file) {
        return all.stream().anyMatch(each -> each.text.equals(text) && !file.equals(each.file));
    }
}
