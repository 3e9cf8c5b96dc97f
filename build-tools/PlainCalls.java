import java.io.File;
import java.io.IOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.attribute.NestMembersAttribute;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.reflect.AccessFlag;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Replaces the `invokedynamic` instructions of compiled classes by plain calls: `PlainCalls FOLDER CLASSPATH`.
///
/// The JVM generates the code behind an `invokedynamic` when it is first reached, by Java that is interpreted at that
/// time: a class for each lambda and method reference, method handles for the methods of each record and for each
/// switch over types. An engine that has just been started reaches some hundreds.
///
/// A class gets one companion for each interface of its lambdas, in its own nest: `Outer$$Interface` for the first
/// interface and `Outer$$Interface$number` for others. A number distinguishes the lambdas, captured values are fields,
/// and lambdas that capture nothing are created once. The methods of records and switches over types become static
/// methods of the class itself.
///
/// Lambdas with marker interfaces or bridges, which javac writes in another form, and switches with constants
/// among their labels stay as they are.
final class PlainCalls {
    private static final String METAFACTORY = "Ljava/lang/invoke/LambdaMetafactory;";
    private static final int PRIVATE_STATIC = ClassFile.ACC_PRIVATE | ClassFile.ACC_STATIC | ClassFile.ACC_SYNTHETIC;

    private final Path folder;
    private final ClassFile classFile;
    private final Map<String, ClassModel> classes = new TreeMap<>();
    private final Map<ClassDesc, List<ClassDesc>> members = new HashMap<>();
    private final Map<String, byte[]> written = new LinkedHashMap<>();

    private PlainCalls(Path folder, ClassLoader loader) {
        this.folder = folder;
        ClassHierarchyResolver resolver = ClassHierarchyResolver.ofResourceParsing(loader)
                .orElse(ClassHierarchyResolver.defaultResolver())
                .cached();
        this.classFile = ClassFile.of(
                ClassFile.ClassHierarchyResolverOption.of(resolver),
                ClassFile.ConstantPoolSharingOption.NEW_POOL,
                ClassFile.DeadCodeOption.KEEP_DEAD_CODE);
    }

    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args[0]);
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (var loader = new URLClassLoader(urls(args[0] + File.pathSeparator + (args.length > 1 ? args[1] : "")))) {
            var calls = new PlainCalls(folder, loader);
            calls.read();
            calls.rewrite();
            calls.write();
        }
    }

    private static URL[] urls(String classPath) throws MalformedURLException {
        var urls = new ArrayList<URL>();
        for (String entry : classPath.split(File.pathSeparator)) {
            if (!entry.isEmpty()) {
                urls.add(Path.of(entry).toUri().toURL());
            }
        }
        return urls.toArray(URL[]::new);
    }

    private void read() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file :
                    (Iterable<Path>) files.filter(each -> each.toString().endsWith(".class"))::iterator) {
                ClassModel model = classFile.parse(file);
                if (!model.isModuleInfo()) {
                    classes.put(model.thisClass().asInternalName(), model);
                }
            }
        }
    }

    private void rewrite() {
        classes.values().forEach(this::rewrite);
        members.forEach((host, added) -> {
            String name = internal(host);
            byte[] before = written.get(name);
            ClassModel model = before == null ? classes.get(name) : classFile.parse(before);
            written.put(name, classFile.transformClass(model, withMembers(model, added)));
        });
    }

    private void rewrite(ClassModel model) {
        var companions = new LinkedHashMap<ClassDesc, LambdaCompanion>();
        var methods = new ArrayList<PlainMethod>();
        ClassDesc self = model.thisClass().asSymbol();
        boolean isInterface = model.flags().has(AccessFlag.INTERFACE);
        CodeTransform calls = (code, element) -> {
            if (element instanceof InvokeDynamicInstruction dynamic && isLambda(dynamic)) {
                var companion = companions.computeIfAbsent(
                        dynamic.typeSymbol().returnType(), type -> LambdaCompanion.of(self, type, companions.size()));
                String maker = companion.add(PlainLambda.of(dynamic));
                code.invokestatic(companion.name(), maker, dynamic.typeSymbol());
            } else if (element instanceof InvokeDynamicInstruction dynamic && RecordMethod.isOne(dynamic)) {
                code.invokestatic(
                        self, add(RecordMethod.of(dynamic, model), methods), dynamic.typeSymbol(), isInterface);
            } else if (element instanceof InvokeDynamicInstruction dynamic && TypeSwitch.isOne(dynamic)) {
                code.invokestatic(self, add(TypeSwitch.of(dynamic), methods), dynamic.typeSymbol(), isInterface);
            } else {
                code.with(element);
            }
        };
        var added = ClassTransform.endHandler(builder -> methods.forEach(
                each -> builder.withMethodBody(name(each, methods), each.type(), PRIVATE_STATIC, each::write)));
        byte[] bytes = classFile.transformClass(
                model, ClassTransform.transformingMethodBodies(calls).andThen(added));
        if (companions.isEmpty() && methods.isEmpty()) {
            return;
        }
        written.put(model.thisClass().asInternalName(), bytes);
        ClassDesc host = model.findAttribute(Attributes.nestHost())
                .map(attribute -> attribute.nestHost().asSymbol())
                .orElse(self);
        for (LambdaCompanion companion : companions.values()) {
            written.put(internal(companion.name()), companion.build(classFile, host, model));
            members.computeIfAbsent(host, _ -> new ArrayList<>()).add(companion.name());
        }
    }

    /** Adds a method unless it exists, because a transform may run more than once. Returns its name. */
    private static String add(PlainMethod method, List<PlainMethod> methods) {
        if (!methods.contains(method)) {
            methods.add(method);
        }
        return name(method, methods);
    }

    private static String name(PlainMethod method, List<PlainMethod> methods) {
        return method.purpose() + "$" + methods.indexOf(method);
    }

    /** Returns a transform that adds classes to the members of a nest. */
    private static ClassTransform withMembers(ClassModel host, List<ClassDesc> added) {
        var all = new ArrayList<ClassDesc>();
        host.findAttribute(Attributes.nestMembers())
                .ifPresent(attribute -> attribute.nestMembers().stream()
                        .map(ClassEntry::asSymbol)
                        .forEach(all::add));
        all.addAll(added);
        return ClassTransform.dropping(NestMembersAttribute.class::isInstance)
                .andThen(ClassTransform.endHandler(builder -> builder.with(NestMembersAttribute.ofSymbols(all))));
    }

    private static boolean isLambda(InvokeDynamicInstruction dynamic) {
        DirectMethodHandleDesc bootstrap = dynamic.bootstrapMethod();
        return bootstrap.owner().descriptorString().equals(METAFACTORY)
                && bootstrap.methodName().equals("metafactory");
    }

    private void write() throws IOException {
        for (var each : written.entrySet()) {
            Files.write(folder.resolve(each.getKey() + ".class"), each.getValue());
        }
    }

    private static String internal(ClassDesc type) {
        String descriptor = type.descriptorString();
        return descriptor.substring(1, descriptor.length() - 1);
    }
}
