import java.io.IOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.attribute.InnerClassInfo;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Compares the public API with a page of it: `ApiDump check|write PAGE FOLDER PACKAGE…`, for the compiled classes in a
/// folder. A change of the page shows a reviewer what breaks; a change without one breaks the build.
final class ApiDump {
    private static final Set<AccessFlag> SHOWN =
            Set.of(AccessFlag.STATIC, AccessFlag.ABSTRACT, AccessFlag.FINAL, AccessFlag.PROTECTED);

    private ApiDump() {}

    public static void main(String[] args) throws IOException {
        Path page = Path.of(args[1]);
        Path folder = Path.of(args[2]);
        var lines = new ArrayList<String>();
        for (String name : args[3].split(",")) {
            for (ClassModel each : publicClasses(folder.resolve(name.replace('.', '/')))) {
                lines.addAll(of(each));
                lines.add("");
            }
        }
        if (args[0].equals("write")) {
            Files.createDirectories(page.getParent());
            Files.write(page, lines);
            return;
        }
        List<String> known = Files.exists(page) ? Files.readAllLines(page) : List.of();
        if (!known.equals(lines)) {
            tell("gone", known, lines);
            tell("new", lines, known);
            System.err.println("What users can call is not what " + page + " says."
                    + " Where that is meant, write it again: mvn -q -DskipTests package -Dapi.mode=write");
            System.exit(1);
        }
    }

    private static void tell(String what, List<String> lines, List<String> other) {
        var known = Set.copyOf(withClasses(other));
        for (String line : withClasses(lines)) {
            if (!known.contains(line)) {
                System.err.println(what + ": " + line);
            }
        }
    }

    /// Returns the lines of a page, those of members behind the lines of their classes.
    private static List<String> withClasses(List<String> lines) {
        var all = new ArrayList<String>();
        String type = "";
        for (String line : lines) {
            if (line.startsWith(" ")) {
                all.add(type + " …" + line);
            } else if (!line.isEmpty()) {
                type = line;
                all.add(line);
            }
        }
        return all;
    }

    private static List<ClassModel> publicClasses(Path folder) throws IOException {
        var classes = new TreeMap<String, ClassModel>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file :
                    (Iterable<Path>) files.filter(each -> each.toString().endsWith(".class"))::iterator) {
                ClassModel model = ClassFile.of().parse(file);
                classes.put(model.thisClass().asInternalName(), model);
            }
        }
        return classes.values().stream().filter(each -> isSeen(each, classes)).toList();
    }

    /// Whether users can name a class: it and all classes around it are public, or protected in another one.
    private static boolean isSeen(ClassModel model, Map<String, ClassModel> classes) {
        if (!model.flags().has(AccessFlag.PUBLIC) || model.flags().has(AccessFlag.SYNTHETIC)) {
            return false;
        }
        return model.findAttribute(Attributes.innerClasses()).stream()
                .flatMap(attribute -> attribute.classes().stream())
                .filter(inner -> inner.innerClass().equals(model.thisClass()))
                .allMatch(inner -> isSeen(inner)
                        && inner.outerClass()
                                .map(outer -> classes.get(outer.asInternalName()))
                                .filter(outer -> isSeen(outer, classes))
                                .isPresent());
    }

    private static boolean isSeen(InnerClassInfo inner) {
        return (inner.has(AccessFlag.PUBLIC) || inner.has(AccessFlag.PROTECTED))
                && inner.innerName().isPresent();
    }

    private static List<String> of(ClassModel model) {
        var members = new TreeSet<String>();
        model.fields().stream().filter(ApiDump::isSeen).map(ApiDump::text).forEach(members::add);
        model.methods().stream().filter(ApiDump::isSeen).map(ApiDump::text).forEach(members::add);
        var lines = new ArrayList<String>();
        lines.add(header(model));
        members.forEach(each -> lines.add("    " + each));
        return lines;
    }

    private static String header(ClassModel model) {
        String kind = model.flags().has(AccessFlag.ANNOTATION)
                ? "annotation"
                : model.flags().has(AccessFlag.INTERFACE)
                        ? "interface"
                        : model.flags().has(AccessFlag.ENUM)
                                ? "enum"
                                : model.findAttribute(Attributes.record()).isPresent() ? "record" : "class";
        String flags = kind.equals("class") ? flags(model.flags().flags()) : "";
        String parents = Stream.concat(
                        superclass(model).stream(), model.interfaces().stream().map(ClassEntry::asSymbol))
                .map(ApiDump::name)
                .collect(Collectors.joining(", "));
        return flags + kind + " " + name(model.thisClass().asSymbol()) + (parents.isEmpty() ? "" : " : " + parents);
    }

    private static Optional<ClassDesc> superclass(ClassModel model) {
        return model.superclass()
                .map(ClassEntry::asSymbol)
                .filter(type -> !Set.of("Object", "Record", "Enum").contains(type.displayName()));
    }

    private static boolean isSeen(FieldModel field) {
        return isSeen(field.flags().flags(), field.fieldName().stringValue());
    }

    private static boolean isSeen(MethodModel method) {
        String name = method.methodName().stringValue();
        return isSeen(method.flags().flags(), name) && !name.equals("<clinit>");
    }

    /// Whether a member is part of the API. Names with a dollar are the compiler's; Kotlin's
    /// internal functions have one.
    private static boolean isSeen(Set<AccessFlag> flags, String name) {
        return (flags.contains(AccessFlag.PUBLIC) || flags.contains(AccessFlag.PROTECTED))
                && !flags.contains(AccessFlag.SYNTHETIC)
                && name.indexOf('$') < 0;
    }

    private static String text(FieldModel field) {
        return flags(field.flags().flags()) + field.fieldName().stringValue() + ": " + name(field.fieldTypeSymbol());
    }

    private static String text(MethodModel method) {
        MethodTypeDesc type = method.methodTypeSymbol();
        String parameters = type.parameterList().stream().map(ApiDump::name).collect(Collectors.joining(", "));
        return flags(method.flags().flags())
                + method.methodName().stringValue()
                + "("
                + parameters
                + "): "
                + name(type.returnType());
    }

    private static String flags(Set<AccessFlag> flags) {
        return SHOWN.stream()
                .filter(flags::contains)
                .map(flag -> flag.name().toLowerCase(java.util.Locale.ROOT) + " ")
                .sorted()
                .collect(Collectors.joining());
    }

    private static String name(ClassDesc type) {
        if (type.isArray()) {
            return name(type.componentType()) + "[]";
        }
        return type.packageName().isEmpty() || type.packageName().equals("java.lang")
                ? type.displayName()
                : type.packageName() + "." + type.displayName();
    }
}
