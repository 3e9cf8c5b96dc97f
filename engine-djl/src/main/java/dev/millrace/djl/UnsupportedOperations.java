package dev.millrace.djl;

import ai.djl.ndarray.NDArrayAdapter;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.internal.NDArrayEx;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;

/** The operations of DJL's arrays that this engine does not have. Each fails with its own name. */
final class UnsupportedOperations {
    /**
     * The manager of another engine, to which DJL turns for operations that an array does not implement. There is none, so
     * it names the operation.
     */
    static final NDManager MANAGER = (NDManager) Proxy.newProxyInstance(
            UnsupportedOperations.class.getClassLoader(), new Class<?>[] {NDManager.class}, (_, method, _) -> {
                throw method.getName().equals("from") ? failure(operation()) : failure(method.getName());
            });

    private UnsupportedOperations() {}

    static UnsupportedOperationException failure(String operation) {
        return new UnsupportedOperationException(
                "the engine Millrace has no array operation '" + operation + "'; its guide lists those that it has");
    }

    /** Returns the method of DJL's array that is being called. */
    private static String operation() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                .walk(frames -> frames.filter(frame -> frame.getDeclaringClass() == NDArrayAdapter.class)
                        .map(StackWalker.StackFrame::getMethodName)
                        .filter(name -> !name.equals("getAlternativeArray"))
                        .findFirst()
                        .orElse("from"));
    }

    /** Returns DJL's inner operations of an array: those of {@code own}, those that DJL composes, and failures for others. */
    static NDArrayEx around(Object own) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            Method implemented = find(own.getClass(), method);
            try {
                if (implemented != null) {
                    return implemented.invoke(own, arguments);
                }
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            if (method.isDefault()) {
                return InvocationHandler.invokeDefault(proxy, method, arguments);
            }
            throw failure(method.getName());
        };
        return (NDArrayEx) Proxy.newProxyInstance(
                UnsupportedOperations.class.getClassLoader(), new Class<?>[] {NDArrayEx.class}, handler);
    }

    private static @Nullable Method find(Class<?> type, Method method) {
        try {
            return type.getDeclaredMethod(method.getName(), method.getParameterTypes());
        } catch (NoSuchMethodException e) {
            return null;
        }
    }
}
