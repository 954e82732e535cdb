// cplusplus.cc: the model from C++: handles that release themselves, failures that throw, and exceptions that stop at a
// callback, so that none passes through a frame of the library.
//
//     c++ -std=c++17 cplusplus.cc $(pkg-config --cflags --libs kcost) -o cplusplus && ./cplusplus
#include <kcost.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <vector>

namespace {

struct Free {
    void operator()(kc_context *context) const { kc_context_free(context); }
    template <class T> void operator()(T *object) const { kc_release(object); }
};
template <class T> using Handle = std::unique_ptr<T, Free>;

template <class T> kc_object *object(const Handle<T> &handle) { return reinterpret_cast<kc_object *>(handle.get()); }

class Model {
public:
    Model() : context_(kc_context_new(nullptr, nullptr))
    {
        if (!context_)
            throw std::bad_alloc();
    }

    kc_context *context() const { return context_.get(); }

    // NULL becomes an exception with the library's sentence.
    template <class T> Handle<T> take(T *made) const
    {
        if (!made)
            throw std::runtime_error(kc_context_message(context()));
        return Handle<T>(made);
    }

    // Runs `call` while `look` is told of its progress: true ends it, and what it throws is thrown from here.
    template <class Look, class Call> auto watched(Look look, Call call) const
    {
        struct Watch {
            Look look;
            std::exception_ptr thrown;
        } watch{look, nullptr};
        kc_context_watch(context(), [](void *data, double done, double) -> int {
            auto *w = static_cast<Watch *>(data);
            try {
                return w->look(done);
            } catch (...) {
                w->thrown = std::current_exception();
                return 1;
            }
        }, &watch);
        auto made = call();
        kc_context_watch(context(), nullptr, nullptr);
        if (watch.thrown)
            std::rethrow_exception(watch.thrown);
        return take(made);
    }

private:
    Handle<kc_context> context_;
};

double number(const Handle<kc_result> &result, kc_field field)
{
    double value = 0;
    kc_result_number(result.get(), field, &value);
    return value;
}

} // namespace

int main()
{
    try {
        Model kc;
        const std::vector<kc_size> size{{"m", 4096}, {"n", 4096}, {"k", 4096}};
        auto f16 = kc.take(kc_dtype_named(kc.context(), "f16"));
        auto A = kc.take(kc_tensor_new(kc.context(), "A", "m k", f16.get(), size.data(), size.size()));
        auto B = kc.take(kc_tensor_new(kc.context(), "B", "k n", f16.get(), size.data(), size.size()));
        auto a = kc.take(kc_read(A.get(), nullptr, nullptr, 0, 1, 0)), b = kc.take(kc_read(B.get(), nullptr, nullptr, 0, 1, 0));
        auto ab = kc.take(kc_matmul(a.get(), b.get(), nullptr, nullptr, nullptr, nullptr));
        auto C = kc.take(kc_write("C", ab.get(), nullptr, nullptr, nullptr, nullptr, 0, 1));
        auto h100 = kc.take(kc_device_named(kc.context(), "h100-sxm5"));
        auto search = [&] { return kc_best(object(C), h100.get(), nullptr); };

        auto best = kc.watched([](double) { return false; }, search);
        std::printf("C on %s: %.1f us, %s binds\n", kc_result_device(best.get()), 1e6 * number(best, KC_TIME),
                    kc_result_bound(best.get()));
        try {
            kc.watched([](double done) { return done > 100 ? throw std::runtime_error("enough of it") : false; }, search);
        } catch (const std::runtime_error &error) {
            std::printf("a search ended by an exception of its watch: %s\n", error.what());
        }
        kc.take(kc_device_named(kc.context(), "h100-sxm6")); // throws
    } catch (const std::exception &error) {
        std::printf("a failure is an exception: %s\n", error.what());
    }
}
