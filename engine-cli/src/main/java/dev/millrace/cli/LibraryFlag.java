package dev.millrace.cli;

import dev.millrace.session.Engine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The flag by which commands load libraries of providers. */
public final class LibraryFlag {
    @Option(
            names = {"--provider-library", "-p"},
            paramLabel = "[NAME=]PATH",
            description = "Load a library of providers: a jar, or a folder of jars or classes. --provider and --device"
                + " may name its providers. With a NAME that ends in .virtual, they may compile for devices that are"
                + " not present.")
    private List<String> libraries = new ArrayList<>();

    /** Registers the libraries with an engine, which is closed where one cannot be loaded. Returns the engine. */
    public Engine registeredWith(Engine engine) {
        try {
            libraries.forEach(text -> register(text, engine));
            return engine;
        } catch (RuntimeException | Error e) {
            engine.close();
            throw e;
        }
    }

    private static void register(String text, Engine engine) {
        int equals = text.indexOf('=');
        Path path = Path.of(text.substring(equals + 1));
        String name = equals > 0 ? text.substring(0, equals) : String.valueOf(path.getFileName());
        engine.registerProviderLibrary(name, path);
    }
}
