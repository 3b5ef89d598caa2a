from django.http import StreamingHttpResponse
from django.urls import path
from drf_spectacular.utils import OpenApiParameter, extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework import authentication, decorators, exceptions, permissions, serializers
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.parsers import MultiPartParser
from rest_framework.response import Response
from stock import NAMES, book, caller, later, state

from .api import api, lines

PAGES = [OpenApiParameter("offset", int), OpenApiParameter("limit", int)]
COUNT, TEXT = [OpenApiParameter("count", int)], [OpenApiParameter("text", str)]


class Login(authentication.BaseAuthentication):
    def authenticate(self, request):
        given = request.headers.get("authorization")
        name = caller(given)
        if given and name is None:
            raise exceptions.AuthenticationFailed("Unknown token.")
        return name and (name, None)

    def authenticate_header(self, request):
        return 'Bearer realm="shop"'


class HasName(permissions.BasePermission):
    def has_permission(self, request, view):
        return isinstance(request.user, str)


class Cover(serializers.Serializer):
    cover = serializers.FileField()


class Paging(LimitOffsetPagination):
    default_limit = 10


@extend_schema(operation_id="list_books", responses=dict, parameters=PAGES)
@decorators.api_view()
def list_books(request):
    pages = Paging()
    found = pages.paginate_queryset(NAMES, request)
    items = [{"id": id, "name": name} for id, name in enumerate(found, pages.offset)]
    return Response({"items": items, "total": pages.count, "next": pages.get_next_link()})


@extend_schema(operation_id="get_book", responses=dict)
@decorators.api_view()
def get_book(request, id):
    found = book(id)
    if found is None:
        raise exceptions.NotFound("There is no such book.")
    return Response(found)


@extend_schema(operation_id="add_note", request=None, responses=dict, parameters=TEXT)
@decorators.api_view(["POST"])
def add_note(request):
    later(request.query_params["text"])
    return Response({"text": request.query_params["text"]}, 201)


@extend_schema(operation_id="add_cover", request=Cover, responses=dict)
@decorators.api_view(["POST"])
@decorators.parser_classes([MultiPartParser])
def add_cover(request):
    return Response({"bytes": len(request.data["cover"].read())})


@extend_schema(operation_id="get_state", responses=dict)
@decorators.api_view()
def get_state(request):
    return Response(state)


@extend_schema(operation_id="get_me", responses=dict)
@decorators.api_view()
@decorators.authentication_classes([Login])
@decorators.permission_classes([HasName])
def get_me(request):
    return Response({"name": request.user})


@extend_schema(operation_id="list_events", responses=str, parameters=COUNT)
@decorators.api_view()
def list_events(request):
    count = int(request.query_params.get("count", 3))
    return StreamingHttpResponse(lines(count), content_type="application/x-ndjson")


urlpatterns = [
    path("books", list_books),
    path("books/<int:id>", get_book),
    path("notes", add_note),
    path("covers", add_cover),
    path("state", get_state),
    path("me", get_me),
    path("events", list_events),
    path("api/schema/", SpectacularAPIView.as_view()),
    path("ninja/", api.urls),
]
