import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "store.settings")
from django.core.asgi import get_asgi_application
from stock import state

application = get_asgi_application()
state["greeting"] = "hello from the lifespan"
