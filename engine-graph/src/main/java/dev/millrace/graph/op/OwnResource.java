package dev.millrace.graph.op;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.security.CodeSource;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * Resources that lie beside a class. On a class path of many archives a look-up by name opens all that come before the
 * right one; where classes come from an ahead-of-time cache nothing else has opened them, and that takes tens of
 * milliseconds. So the class's own archive is asked, if it is one.
 */
final class OwnResource {
    private OwnResource() {}

    static String text(Class<?> beside, String name) throws IOException {
        File archive = beside.getModule().isNamed() ? null : archive(beside);
        String found =
                archive == null ? null : textIn(archive, beside.getPackageName().replace('.', '/') + "/" + name);
        if (found != null) {
            return found;
        }
        try (InputStream in = beside.getResourceAsStream(name)) {
            if (in == null) {
                throw new FileNotFoundException("resource " + name + " is missing beside " + beside);
            }
            return text(in);
        }
    }

    private static @Nullable File archive(Class<?> of) {
        CodeSource source = of.getProtectionDomain().getCodeSource();
        URL place = source == null ? null : source.getLocation();
        if (place == null
                || !place.getProtocol().equals("file")
                || !place.getPath().endsWith(".jar")) {
            return null;
        }
        try {
            return new File(place.toURI());
        } catch (URISyntaxException | IllegalArgumentException notAPath) {
            return null;
        }
    }

    /** The text of an entry, or null where the archive cannot be read or has none of that name. */
    private static @Nullable String textIn(File archive, String entry) {
        try (var zip = new ZipFile(archive)) {
            ZipEntry found = zip.getEntry(entry);
            if (found == null) {
                return null;
            }
            try (InputStream in = zip.getInputStream(found)) {
                return text(in);
            }
        } catch (IOException unreadable) {
            return null;
        }
    }

    private static String text(InputStream in) throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
}
